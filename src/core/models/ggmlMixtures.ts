import type { GgmlType } from './ggmlTypes';

/** The purpose of a weight. */
export type Role = 'q' | 'k' | 'v' | 'qkv' | 'attention out' | 'gate' | 'up' | 'down' | 'words' | 'output';

/** A layer's position, and the model facts that decide types. */
export interface Place {
  readonly layer: number;
  readonly layers: number;
  /** Query heads per key head. */
  readonly group: number;
  readonly experts: number;
  /** Llama 70B and similar: 80 layers, whose small value matrices get more bits. */
  readonly is70B: boolean;
}

type Choice = GgmlType | ((place: Place) => GgmlType | null);

interface Mixture {
  readonly base: GgmlType;
  readonly roles?: Readonly<Partial<Record<Role, Choice>>>;
}

/** The first and the last eighth of the layers, and every third between. */
const moreBits = ({ layer, layers }: Place): boolean => {
  const eighth = Math.floor(layers / 8);
  return layer < eighth || layer >= Math.floor((7 * layers) / 8) || (layer - eighth) % 3 === 2;
};

const inFirst =
  (part: number, type: GgmlType, then: GgmlType | null = null) =>
  ({ layer, layers }: Place): GgmlType | null =>
    layer < Math.floor(layers / part) ? type : then;

const grouped =
  (type: GgmlType, else_: GgmlType | null = null) =>
  ({ group }: Place): GgmlType | null =>
    group >= 4 ? type : else_;

const often =
  (type: GgmlType) =>
  (place: Place): GgmlType | null =>
    moreBits(place) ? type : null;

const manyExperts =
  (type: GgmlType) =>
  ({ experts }: Place): GgmlType | null =>
    experts === 8 ? type : null;

const expertsIn =
  (type: GgmlType) =>
  ({ experts }: Place): GgmlType | null =>
    experts > 0 ? type : null;

const withExperts =
  (many: GgmlType, otherwise: GgmlType | null) =>
  ({ experts }: Place): GgmlType | null =>
    experts === 8 ? many : otherwise;

/** At most two bits: the most sensitive weights get more. */
const tiny = (base: GgmlType, more: GgmlType, words: GgmlType, out: GgmlType | null): Mixture => ({
  base,
  roles: {
    output: 'Q5_K',
    words,
    v: ({ group, experts }) => (group >= 4 || experts >= 4 ? 'Q4_K' : more),
    k: manyExperts('Q4_K'),
    down: inFirst(8, more),
    'attention out': withExperts('Q5_K', out),
  },
});

/**
 * The types that `llama-quantize` chooses (llama.cpp 007dbbf, src/llama-quant.cpp, llama_tensor_get_type_impl),
 * without an importance matrix. A name that is not a type is a mixture of several types.
 */
const MIXTURES: Readonly<Record<string, Mixture>> = {
  F32: { base: 'F32' },
  F16: { base: 'F16' },
  BF16: { base: 'BF16' },
  Q8_0: { base: 'Q8_0' },
  MXFP4: {
    base: 'Q8_0',
    roles: { gate: expertsIn('MXFP4'), up: expertsIn('MXFP4'), down: expertsIn('MXFP4') },
  },
  Q4_0: { base: 'Q4_0' },
  Q4_1: { base: 'Q4_1' },
  Q5_0: { base: 'Q5_0' },
  Q5_1: { base: 'Q5_1' },
  Q6_K: { base: 'Q6_K' },
  Q2_K: {
    base: 'Q2_K',
    roles: { v: grouped('Q4_K', 'Q3_K'), down: 'Q3_K', 'attention out': withExperts('Q5_K', 'Q3_K') },
  },
  Q2_K_S: { base: 'Q2_K', roles: { v: grouped('Q4_K'), down: inFirst(8, 'Q4_K') } },
  Q3_K_S: { base: 'Q3_K', roles: { 'attention out': manyExperts('Q5_K') } },
  Q3_K_M: {
    base: 'Q3_K',
    roles: {
      v: ({ layer }) => (layer < 2 ? 'Q5_K' : 'Q4_K'),
      qkv: 'Q4_K',
      down: inFirst(16, 'Q5_K', 'Q4_K'),
      'attention out': withExperts('Q5_K', 'Q4_K'),
    },
  },
  Q3_K_L: {
    base: 'Q3_K',
    roles: { v: 'Q5_K', qkv: 'Q4_K', down: 'Q5_K', 'attention out': withExperts('Q3_K', 'Q5_K') },
  },
  Q4_K_S: {
    base: 'Q4_K',
    roles: {
      v: ({ layer }) => (layer < 4 ? 'Q5_K' : null),
      down: inFirst(8, 'Q5_K'),
      'attention out': manyExperts('Q5_K'),
    },
  },
  Q4_K_M: {
    base: 'Q4_K',
    roles: { v: often('Q6_K'), qkv: 'Q5_K', down: often('Q6_K'), 'attention out': manyExperts('Q5_K') },
  },
  Q5_K_S: { base: 'Q5_K' },
  Q5_K_M: { base: 'Q5_K', roles: { v: often('Q6_K'), qkv: 'Q6_K', down: often('Q6_K') } },
  IQ4_NL: {
    base: 'IQ4_NL',
    roles: { v: grouped('Q5_K'), down: inFirst(8, 'Q5_K'), 'attention out': manyExperts('Q5_K') },
  },
  IQ4_XS: {
    base: 'IQ4_XS',
    roles: { v: grouped('Q5_K'), down: inFirst(8, 'Q5_K'), 'attention out': manyExperts('Q5_K') },
  },
  IQ3_S: { base: 'IQ3_S', roles: { v: grouped('Q4_K'), 'attention out': manyExperts('Q5_K') } },
  IQ3_M: {
    base: 'IQ3_S',
    roles: { v: 'Q4_K', qkv: 'Q4_K', down: inFirst(8, 'Q4_K'), 'attention out': withExperts('Q5_K', 'Q4_K') },
  },
  IQ2_XXS: tiny('IQ2_XXS', 'Q2_K', 'Q2_K', null),
  IQ2_XS: tiny('IQ2_XS', 'Q2_K', 'Q2_K', null),
  IQ2_S: tiny('IQ2_XS', 'IQ3_S', 'IQ3_S', 'IQ3_S'),
  IQ2_M: tiny('IQ2_S', 'IQ3_S', 'IQ3_S', 'IQ3_S'),
  IQ1_S: tiny('IQ1_S', 'Q2_K', 'Q2_K', 'IQ2_XXS'),
  IQ1_M: tiny('IQ1_M', 'Q2_K', 'Q2_K', 'IQ2_XXS'),
};

/** Names of mixtures, as in file names. */
export const mixtureNames: readonly string[] = Object.keys(MIXTURES);

const isQuantized = (type: GgmlType): boolean => !['F32', 'F16', 'BF16'].includes(type);

/** The type of a weight in a file with this mixture; null: unknown mixture. */
export function typeIn(name: string, role: Role, place: Place): GgmlType | null {
  const mixture = MIXTURES[name];
  if (!mixture) return null;
  const { base, roles = {} } = mixture;
  if (!isQuantized(base)) return base;
  const roleType = roles[role];
  const chosen = (typeof roleType === 'function' ? roleType(place) : roleType) ?? base;
  if (role === 'output') return outputOf(mixture, chosen);
  // Mixtures of two bits and fewer have their own rules for these.
  return roles.output === undefined && (role === 'k' || role === 'v')
    ? sensitive(role, place, chosen)
    : chosen;
}

const outputOf = ({ base, roles = {} }: Mixture, chosen: GgmlType): GgmlType => {
  if (roles.output !== undefined) return chosen;
  return base === 'Q8_0' ? 'Q8_0' : 'Q6_K';
};

/** Small matrices get more bits: keys and values next to eight experts, values of 70B. */
function sensitive(role: 'k' | 'v', { experts, is70B }: Place, chosen: GgmlType): GgmlType {
  if (experts === 8) return 'Q8_0';
  const few = chosen === 'Q3_K' || chosen === 'Q4_K';
  return role === 'v' && is70B && few ? 'Q5_K' : chosen;
}

import type { ModelFacts } from './model';

/** How a checkpoint holds the weights of its linear layers, where that is not one of torch's floating-point types. */
interface CheckpointFormat {
  readonly bits: 4 | 8;
  readonly kind: 'gptq' | 'awq' | 'bnb' | 'fp8' | 'int8' | 'nvfp4' | 'mxfp4';
  /** Weights that share a scale; null: not said. */
  readonly groupSize: number | null;
}

/** Words that names of repositories have for it, from the more to the less specific, with the bits where they say them. */
const WORDS: readonly (readonly [RegExp, CheckpointFormat['kind'], 4 | 8])[] = [
  [/[-_.](?:nv)?fp4(?:a16)?(?=$|[-_.])/i, 'nvfp4', 4],
  [/[-_.]mxfp4(?=$|[-_.])/i, 'mxfp4', 4],
  [/[-_.](?:unsloth[-_])?bnb[-_.]4bit(?=$|[-_.])/i, 'bnb', 4],
  [/[-_.](?:quantized[-_.])?w4a16(?:[-_]g\d+)?(?=$|[-_.])/i, 'gptq', 4],
  [/[-_.](?:quantized[-_.])?w8a(?:8|16)(?=$|[-_.])/i, 'int8', 8],
  [/[-_.]fp8(?:[-_](?:dynamic|block|static|kv))*(?=$|[-_.])/i, 'fp8', 8],
  [/[-_.]awq(?:[-_](?:int4|4bit|w4|g128|4-bit))*(?=$|[-_.])/i, 'awq', 4],
  [/[-_.]gptq[-_](?:int8|8bit)(?=$|[-_.])/i, 'gptq', 8],
  [/[-_.]gptq(?:[-_](?:int4|4bit|4-bit|g?128))*(?=$|[-_.])/i, 'gptq', 4],
  [/[-_.]int8(?=$|[-_.])/i, 'int8', 8],
];

/** What the name of a repository says, and the name of what was quantized; null: nothing. */
export function formatInName(
  name: string,
): { readonly format: CheckpointFormat; readonly base: string } | null {
  for (const [word, kind, bits] of WORDS) {
    const found = word.exec(name);
    if (found === null || found.index === 0) continue;
    const base = name.slice(0, found.index) + name.slice(found.index + found[0].length);
    return { format: { bits, kind, groupSize: null }, base };
  }
  return null;
}

/** What the checkpoint's own `quantization_config` says, else its name; null: weights are as torch has them. */
export function checkpointFormat({ id, extra }: Pick<ModelFacts, 'id' | 'extra'>): CheckpointFormat | null {
  const stated = extra['quantization_config'];
  const isStated = typeof stated === 'object' && stated !== null;
  return isStated ? formatOf(stated as Config) : (formatInName(id)?.format ?? null);
}

/** What a catalog model is published in, unless its name says that this copy was converted back. */
export function publishedFormat({ id, extra }: Pick<ModelFacts, 'id' | 'extra'>): CheckpointFormat | null {
  const isBack = /(?:bf16|fp16)(?=$|[-_./])/i.test(id);
  const kind = isBack ? null : extra['published_format'];
  if (kind === 'fp8') return { bits: 8, kind, groupSize: null };
  return kind === 'mxfp4' ? { bits: 4, kind, groupSize: null } : null;
}

type Config = Readonly<Record<string, unknown>>;

const METHODS: Readonly<Record<string, CheckpointFormat['kind']>> = {
  gptq: 'gptq',
  awq: 'awq',
  bitsandbytes: 'bnb',
  fp8: 'fp8',
  mxfp4: 'mxfp4',
};

/** transformers, utils/quantization_config.py; compressed-tensors and ModelOpt name formats of their own. */
function formatOf(config: Config): CheckpointFormat | null {
  const method = wordAt(config, 'quant_method');
  const groupSize = numberAt(config, 'group_size') ?? numberAt(firstGroup(config), 'group_size');
  const bits = numberAt(config, 'bits') ?? numberAt(config, 'w_bit');
  const known = METHODS[method];
  if (known === 'bnb') {
    return { bits: config['load_in_8bit'] === true ? 8 : 4, kind: 'bnb', groupSize: null };
  }
  if (known === 'fp8') return { bits: 8, kind: 'fp8', groupSize };
  if (known === 'mxfp4') return { bits: 4, kind: 'mxfp4', groupSize };
  if (known !== undefined) return { bits: bits === 8 ? 8 : 4, kind: known, groupSize };
  const algorithm = wordAt(config, 'quant_algo');
  if (algorithm === 'nvfp4' || algorithm === 'fp8') {
    return { bits: algorithm === 'fp8' ? 8 : 4, kind: algorithm, groupSize };
  }
  return method === 'compressed-tensors' ? compressed(firstGroup(config), groupSize) : null;
}

/** compressed-tensors, quantization/quant_args.py: `config_groups.*.weights` has bits, type and group. */
function compressed(weights: Config, groupSize: number | null): CheckpointFormat | null {
  const bits = numberAt(weights, 'num_bits');
  if (bits !== 4 && bits !== 8) return null;
  const isFloat = weights['type'] === 'float';
  if (bits === 8) return { bits, kind: isFloat ? 'fp8' : 'int8', groupSize };
  return { bits, kind: isFloat ? 'nvfp4' : 'gptq', groupSize };
}

const isConfig = (value: unknown): value is Config => typeof value === 'object' && value !== null;

function firstGroup(config: Config): Config {
  const groups = config['config_groups'];
  const [group]: readonly unknown[] = isConfig(groups) ? Object.values(groups) : [];
  const weights = isConfig(group) ? group['weights'] : null;
  return isConfig(weights) ? weights : {};
}

const wordAt = (config: Config, key: string): string => {
  const value = config[key];
  return typeof value === 'string' ? value.toLowerCase() : '';
};

function numberAt(config: Config, key: string): number | null {
  const value = config[key];
  return typeof value === 'number' && value > 0 ? value : null;
}

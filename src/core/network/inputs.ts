import { networksIn } from './modules';
import type { Interpreter } from './interpreter';
import { Func, UNKNOWN } from './values';
import { memberOf } from './calls';
import type { Instance, Value } from './values';

/** What is known of a sample. */
export interface SampleFacts {
  /** Sides of an image; null: unknown. */
  readonly sides: readonly number[] | null;
  readonly channels: number | null;
  /** Tokens, frames or steps of a sequence; null: unknown. */
  readonly length: number | null;
}

/** A possible input of a network. */
export interface Input {
  readonly shape: readonly number[];
  readonly kind: 'float' | 'integer';
  /** What was assumed of it; null: its sizes are stated. */
  readonly assumed: string | null;
}

/** Sizes where no key tells any: what the framework's own examples have. */
const USUAL = { side: 224, depth: 96, length: 512, steps: 128, samples: 16_000 } as const;

/** Rows of a pass: what is computed per sample is half of it. */
export const ROWS = 2;

interface First {
  /** Channels that convolutions of each rank take, the likeliest of the input first. */
  readonly conv: readonly (readonly number[])[];
  readonly linear: number | null;
  readonly recurrent: number | null;
  readonly hasEmbedding: boolean;
  /** Channels of noise that its first layer makes an image of; null: it begins otherwise. */
  readonly latent: number | null;
}

const numberAt = (of: Instance | undefined, name: string): number | null => {
  const value = of?.attributes.get(name);
  return typeof value === 'number' ? value : null;
};

function firstOf(network: Instance): First {
  const all = networksIn(network);
  const begins = all.find(({ layer }) => layer !== null && /^(?:Conv|Linear|Embedding)/.test(layer.name));
  const named = (pattern: RegExp): Instance | undefined =>
    all.find(({ layer }) => layer !== null && pattern.test(layer.name));
  return {
    conv: ['Conv1d', 'Conv2d', 'Conv3d'].map(kind => {
      const taken = all
        .filter(({ layer }) => layer?.name === kind)
        .flatMap(one => numberAt(one, 'in_channels') ?? []);
      // Lists may have been made in another order than they are passed.
      return [...new Set([...taken.slice(0, 1), ...(taken.length > 0 ? [Math.min(...taken)] : [])])];
    }),
    linear: numberAt(named(/^Linear$/), 'in_features'),
    recurrent: numberAt(named(/^(?:LSTM|GRU|RNN)$/), 'input_size'),
    hasEmbedding: named(/^Embedding$/) !== undefined,
    latent: begins?.layer?.name === 'ConvTranspose2d' ? numberAt(begins, 'in_channels') : null,
  };
}

/** Networks that put pixels into channels first take pictures still. */
const RGB = [3] as const;

/** Inputs that a network may take, the likeliest first. */
export function inputsOf(network: Instance, facts: SampleFacts): readonly Input[] {
  const first = firstOf(network);
  const [one = [], two = [], three = []] = first.conv;
  const stated = facts.channels === null || two.length === 0 ? [] : [facts.channels];
  return [
    ...(first.latent === null ? [] : [noiseOf(first.latent)]),
    ...[...new Set([...stated, ...two, ...(two.length > 0 ? RGB : [])])].flatMap(channels =>
      images(facts, channels),
    ),
    ...three.flatMap(channels => volumes(facts, channels)),
    ...(first.hasEmbedding ? ids(facts) : []),
    ...one.flatMap(channels => sequences(facts, channels)),
    ...(first.recurrent === null ? [] : steps(facts, first.recurrent)),
    ...(first.linear === null ? [] : rowsOf(facts, first.linear)),
    ...(two.length === 0 ? images(facts, facts.channels ?? 3) : []),
    ...(two.length === 0 ? flattened(first.linear) : []),
  ];
}

/** Noise of one pixel, which a generator's first layer makes larger (DCGAN, Radford et al. 2015). */
const noiseOf = (channels: number): Input => ({
  ...{ shape: [ROWS, channels, 1, 1], kind: 'float', assumed: null },
});

/** Sides that people train with: a network whose layers do not take the usual one takes one of these alone. */
const SIDES = [32, 28, 64, 96, 128, 256, 299, 384, 512] as const;

function images({ sides }: SampleFacts, channels: number): readonly Input[] {
  const [height, width = height] = sides ?? [];
  const of = (first: number, second: number, assumed: string | null): Input => ({
    ...{ shape: [ROWS, channels, first, second], kind: 'float', assumed },
  });
  if (height !== undefined && width !== undefined) return [of(height, width, null)];
  const { side } = USUAL;
  return [
    of(side, side, `images of ${side} × ${side} pixels: no key tells their size`),
    ...SIDES.map(one => of(one, one, `images of ${one} × ${one} pixels, which its layers take`)),
  ];
}

/** Images whose pixels are as many as a first linear layer takes. */
function flattened(width: number | null): readonly Input[] {
  return [1, 3].flatMap(channels => {
    const side = Math.sqrt((width ?? 0) / channels);
    if (!Number.isInteger(side) || side < LEAST_SIDE) return [];
    return [{ shape: [ROWS, channels, side, side], kind: 'float', assumed: null } as const];
  });
}

const LEAST_SIDE = 8;

function volumes({ sides }: SampleFacts, channels: number): readonly Input[] {
  const known = sides?.length === 3 ? sides : null;
  const side = sides?.[0] ?? USUAL.depth;
  const shape = [ROWS, channels, ...(known ?? [side, side, side])];
  const assumed = known ? null : `volumes of ${side} × ${side} × ${side} voxels: no key tells their size`;
  return [{ shape, kind: 'float', assumed }];
}

function ids({ length }: SampleFacts): readonly Input[] {
  const assumed = length === null ? `rows of ${USUAL.length} tokens: no key tells their length` : null;
  return [{ shape: [ROWS, length ?? USUAL.length], kind: 'integer', assumed }];
}

function sequences({ length }: SampleFacts, channels: number): readonly Input[] {
  const usual = channels > 1 ? USUAL.length : USUAL.samples;
  const assumed = length === null ? `sequences of ${usual} steps: no key tells their length` : null;
  const steps = length ?? usual;
  return [
    { shape: [ROWS, channels, steps], kind: 'float', assumed },
    { shape: [ROWS, steps, channels], kind: 'float', assumed },
    { shape: [ROWS, steps], kind: 'float', assumed },
  ];
}

function steps({ length }: SampleFacts, width: number): readonly Input[] {
  const assumed = length === null ? `sequences of ${USUAL.steps} steps: no key tells their length` : null;
  return [{ shape: [ROWS, length ?? USUAL.steps, width], kind: 'float', assumed }];
}

function rowsOf(facts: SampleFacts, width: number): readonly Input[] {
  const row: Input = { shape: [ROWS, width], kind: 'float', assumed: null };
  const rows = steps(facts, width);
  return facts.length === null ? [row, ...rows] : [...rows, row];
}

const LABELS =
  /^(?:t|ts|timesteps?|time|times|sigmas?|noise_?levels?|steps?|labels?|class_?labels?|y|targets?|diffusion_steps?)$/;
const OPTIONAL = /mask|len(?:gth)?s?$|return_|flag|epoch|training|mode/;

/** The arguments of a pass: the input for the first parameter, and what the others are called like. */
export function argumentsFor(
  machine: Interpreter,
  network: Instance,
  { shape, kind }: Input,
): readonly Value[] {
  const input = machine.trace.input(shape, kind);
  const forward = network.of === null ? undefined : memberOf(network.of, 'forward');
  if (!(forward instanceof Func)) return [input];
  const needed = forward.parameters
    .slice(1)
    .filter(({ byDefault, stars }) => byDefault === null && stars === 0);
  return needed.map(({ name }, at) => {
    if (at === 0) return input;
    if (OPTIONAL.test(name)) return UNKNOWN;
    return LABELS.test(name) ? machine.trace.input([ROWS], 'integer') : input;
  });
}

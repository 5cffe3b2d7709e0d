import type { NetworkArgument, NetworkArguments } from '../models/network';
import type { SampleFacts } from './inputs';
import type { SeenSamples } from './seen';

/** A value of a config with its name in lower case. */
interface Leaf {
  readonly name: string;
  readonly value: NetworkArgument;
}

const DEEPEST = 8;

function leavesOf(value: NetworkArgument, name: string, depth: number): readonly Leaf[] {
  if (depth > DEEPEST) return [];
  const isList = Array.isArray(value);
  if (isList || typeof value !== 'object' || value === null) return [{ name, value }];
  return Object.entries(value as NetworkArguments).flatMap(([key, one]) =>
    leavesOf(one, key.toLowerCase().replaceAll('-', '_'), depth + 1),
  );
}

const SIDES =
  /^(?:im(?:g|age)?_?(?:size|dim|res|shape|resolution|sz)|input_(?:size|shape|res\w*)|(?:train_)?crop_?size|resolution|roi_size|spatial_size|train_?size)$/;
const PATCH = /^(?:patch_size|patch_shape|sample_size|window_size)$/;
/** A patch of a transformer has fewer pixels a side than one that a network trains on. */
const LEAST_PATCH = 48;

const LENGTH =
  /^(?:seq(?:uence)?_?len(?:gth)?|(?:window|chunk|segment|block|context)_?(?:size|len(?:gth)?)|lookback|max_(?:seq_?)?len(?:gth)?|n_?frames|num_frames|num_samples|sample_len(?:gth)?|length|input_(?:len(?:gth)?|steps)|(?:n_|num_)?time_?steps|max_tokens|n_ctx|history(?:_len(?:gth)?)?)$/;
const RATE = /^(?:sample_?rate|sr|sampling_rate|fs)$/;
const SECONDS =
  /^(?:(?:max_|clip_|audio_|segment_|chunk_)?(?:duration|seconds|secs|dur)(?:_s|_sec(?:onds)?)?|segment|audio_len(?:gth)?|clip_length|max_audio_len)$/;
/** Longer than this, a number is no seconds. */
const MOST_SECONDS = 600;

/** Sides of the images that data sets have, by a word for them. */
const DATA: readonly (readonly [word: RegExp, side: number, name: string, channels: number])[] = [
  [/cifar|svhn/i, 32, 'CIFAR', 3],
  [/mnist/i, 28, 'MNIST', 1],
  [/tiny.?imagenet/i, 64, 'Tiny ImageNet', 3],
  [/stl.?10/i, 96, 'STL-10', 3],
  [/imagenet/i, 224, 'ImageNet', 3],
];

/** What a config states of a sample, by names that people give; `data`: the data set that an image size was taken of. */
export function sampleIn(
  config: NetworkArguments,
  stated: SampleFacts,
  seen: Pick<SeenSamples, 'sides' | 'data'>,
): SampleFacts & { readonly data: string | null } {
  const leaves = leavesOf(config, '', 0);
  const sides = stated.sides ?? sidesIn(leaves) ?? seen.sides;
  const length = stated.length ?? secondsIn(leaves) ?? numberIn(leaves, LENGTH);
  if (sides !== null) return { ...stated, sides, length, data: null };
  const named = leaves.flatMap(({ value }) =>
    typeof value === 'string' && value.length < 200 ? [value] : [],
  );
  const words = [...named, ...seen.data];
  const known = DATA.find(([word]) => words.some(one => word.test(one)));
  const [, side, data, channels] = known ?? [];
  if (side === undefined) return { ...stated, sides, length, data: null };
  return { ...stated, sides: [side, side], channels: channels ?? null, length, data: data ?? null };
}

function sidesIn(leaves: readonly Leaf[]): readonly number[] | null {
  const found = leaves.filter(({ name }) => SIDES.test(name)).flatMap(({ value }) => sidesOf(value, 8));
  const patches = leaves
    .filter(({ name }) => PATCH.test(name))
    .flatMap(({ value }) => sidesOf(value, LEAST_PATCH));
  return found[0] ?? patches[0] ?? null;
}

/** One side, or two or three; a third of at most four is that of channels. */
function sidesOf(value: NetworkArgument, least: number): readonly (readonly number[])[] {
  if (typeof value === 'number') return value >= least ? [[value, value]] : [];
  if (!Array.isArray(value)) return [];
  const numbers = value.filter((one): one is number => typeof one === 'number');
  if (numbers.length !== value.length) return [];
  const sides =
    numbers.length === 3 && numbers.some(one => one <= 4) ? numbers.filter(one => one > 4) : numbers;
  return (sides.length === 2 || sides.length === 3) && sides.every(side => side >= 8) ? [sides] : [];
}

function numberIn(leaves: readonly Leaf[], names: RegExp): number | null {
  const found = leaves.find(({ name, value }) => names.test(name) && typeof value === 'number' && value >= 2);
  return typeof found?.value === 'number' && Number.isInteger(found.value) ? found.value : null;
}

function secondsIn(leaves: readonly Leaf[]): number | null {
  const rate = numberIn(leaves, RATE);
  const seconds = leaves.find(
    ({ name, value }) => SECONDS.test(name) && typeof value === 'number' && value > 0 && value < MOST_SECONDS,
  );
  return rate !== null && typeof seconds?.value === 'number' ? Math.round(rate * seconds.value) : null;
}

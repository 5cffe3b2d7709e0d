import { isUnknown } from '../../../src/core/spec/quantity';
import type { RunSpec } from '../../../src/core/spec/runSpec';
import type { QuantityName } from '../../../src/core/spec/values';
import { answersTo } from './answers';
import { estimatedAs } from './record';
import type { Measured } from './record';

/*
 * How far off is a guess? Records state what guesses stand for: the fact is struck out, and the measurement is compared with
 * the estimate that the guess then gives. A width of a guess is the quantile of these ratios in which every source weighs
 * alike, fitted on the other sources and scored on each.
 */

/** Facts that are guessed where nothing states them. */
const STRUCK = ['seqLen', 'optimizer', 'loadDtype', 'task'] as const satisfies readonly QuantityName[];

const STRUCK_OUT = { value: null, origin: { kind: 'unresolved', why: 'struck out' } } as const;

/** The share of measurements that each side leaves inside. */
const INSIDE_A_SIDE = 0.97;

interface Ratio {
  readonly source: string;
  /** The measured memory as a share of the estimate with the guess. */
  readonly ratio: number;
}

export interface GuessFit {
  readonly guess: string;
  readonly runs: number;
  readonly sources: number;
  /** Quantiles of measured over guessed, the sources weighing alike. */
  readonly low: number;
  readonly median: number;
  readonly high: number;
  /** Shares of measurements inside widths that were fitted on the other sources, source by source; and from half to twice. */
  readonly leftOut: number;
  readonly leftOutBySource: number;
  readonly halfToTwice: number;
  readonly halfToTwiceBySource: number;
}

/** The fit of each guess on published training. */
export function guessesOf(records: readonly Measured[]): readonly GuessFit[] {
  const trained = records.filter(({ run, phase }) => isTrained(run) && phase === undefined);
  const single = STRUCK.map(name => fitOf(name, ratiosWithout(trained, [name])));
  return [...single, fitOf('two of them', ratiosWithout(trained, ['seqLen', 'optimizer']))];
}

const isTrained = ({ quantities: { task } }: RunSpec): boolean =>
  task.value !== null && !['infer', 'embed', 'load'].includes(task.value);

function ratiosWithout(records: readonly Measured[], names: readonly QuantityName[]): readonly Ratio[] {
  const struck = records.flatMap(measured => {
    const { quantities } = measured.run;
    if (names.some(name => isUnknown(quantities[name]) || quantities[name].value === null)) return [];
    const hidden = Object.fromEntries(names.map(name => [name, STRUCK_OUT]));
    return [{ ...measured, run: { ...measured.run, quantities: { ...quantities, ...hidden } } }];
  });
  const { answers } = answersTo(struck, measured => {
    const result = estimatedAs(measured);
    const isGuessed = result.ok && (result.estimate.guesses ?? 0) > 0;
    return isGuessed || !result.ok ? result : { ok: false, missing: ['no guess'] };
  });
  return answers.map(({ measured: { source, bytes }, predicted }) => ({ source, ratio: bytes / predicted }));
}

interface Widths {
  readonly low: number;
  readonly high: number;
}

function fitOf(guess: string, ratios: readonly Ratio[]): GuessFit {
  const sources = [...new Set(ratios.map(({ source }) => source))];
  const inside = sources.map(source => {
    const own = ratios.filter(one => one.source === source);
    const widths = widthsOf(ratios.filter(one => one.source !== source));
    return {
      n: own.length,
      in: own.filter(one => isIn(one, widths)).length,
      half: own.filter(isHalfToTwice).length,
    };
  });
  const n = ratios.length;
  const mean = (of: (one: (typeof inside)[number]) => number): number =>
    inside.reduce((sum, one) => sum + of(one), 0) / Math.max(1, sources.length);
  const { low, high } = widthsOf(ratios);
  return {
    guess,
    runs: n,
    sources: sources.length,
    low,
    median: quantile(ratios, 0.5),
    high,
    leftOut: inside.reduce((sum, one) => sum + one.in, 0) / Math.max(1, n),
    leftOutBySource: mean(one => one.in / one.n),
    halfToTwice: ratios.filter(isHalfToTwice).length / Math.max(1, n),
    halfToTwiceBySource: mean(one => one.half / one.n),
  };
}

const isIn = ({ ratio }: Ratio, { low, high }: Widths): boolean => ratio >= low && ratio <= high;
const isHalfToTwice = (one: Ratio): boolean => isIn(one, { low: 0.5, high: 2 });

const widthsOf = (ratios: readonly Ratio[]): Widths => ({
  low: quantile(ratios, 1 - INSIDE_A_SIDE),
  high: quantile(ratios, INSIDE_A_SIDE),
});

/** A quantile in which every source weighs alike. */
function quantile(ratios: readonly Ratio[], share: number): number {
  const sizes = new Map<string, number>();
  for (const { source } of ratios) sizes.set(source, (sizes.get(source) ?? 0) + 1);
  const sorted = ratios.toSorted((a, b) => a.ratio - b.ratio);
  let seen = 0;
  for (const { source, ratio } of sorted) {
    seen += 1 / (sizes.get(source) ?? 1) / sizes.size;
    if (seen >= share) return ratio;
  }
  return sorted.at(-1)?.ratio ?? Number.NaN;
}

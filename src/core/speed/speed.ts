import type { Target } from '../hardware/gpu';
import type { MeasuredRates } from '../hardware/measuredRates';
import { priceOf } from '../hardware/price';
import type { GpuPrice } from '../hardware/price';
import type { Estimate } from '../memory/estimate';
import type { RankWork } from '../memory/rankWork';
import { CONSTANTS, SPREADS } from './constants';
import type { Constants, Spread } from './constants';
import { deviceOf, measuredDevice } from './roofline';
import { stepTime } from './stepTime';
import type { Part, StepTime } from './stepTime';
import { phrase } from '../text/say';

/** An amount with its interval: low ≤ expected ≤ high. */
export interface Range {
  readonly low: number;
  readonly expected: number;
  readonly high: number;
}

/** How long a run is, as far as its config says. */
export interface RunLength {
  readonly steps: number;
  /** The reason for this number, as a phrase: `max_steps`, `3 epochs of 52,002 rows`. */
  readonly from: string;
}

/** Time and cost of training or embedding, computed without running anything. */
export interface Speed {
  readonly ok: true;
  /** What `secondsPerStep` is the time of: an optimizer step, or a batch of texts that are embedded. */
  readonly each: 'step' | 'batch';
  readonly secondsPerStep: Range;
  readonly unit: 'tokens' | 'samples';
  /** What one GPU handles in a second. */
  readonly perSecondPerGpu: Range;
  /** What a step handles on all GPUs. */
  readonly perStep: number;
  /** Useful FLOPs over the GPU's published rate in 16 bits, 0 to 1. */
  readonly mfu: number;
  /** Parts of a step as shares of its time, the largest first. */
  readonly shares: readonly { readonly part: Part; readonly share: number }[];
  readonly gpus: number;
  /** Null: neither config nor data say how many steps there are, and hours are those of 1,000. */
  readonly length: RunLength | null;
  readonly hours: Range;
  /** Null: no price of this GPU is known. */
  readonly dollars: Range | null;
  readonly price: GpuPrice | null;
  /** At the boards' power limits; null: not known. */
  readonly kilowattHours: Range | null;
  readonly assumptions: readonly string[];
  /** The expected tokens of a row where nobody counted them; absent: they are known. */
  readonly assumedTokens?: number;
}

/** What time depends on and nothing states, as phrases. */
export interface SpeedUnknown {
  readonly ok: false;
  readonly missing: readonly string[];
}

export type SpeedResult = Speed | SpeedUnknown;

/** Steps that hours are given for if nothing says how many a run has. */
export const USUAL_STEPS = 1000;

const unknown = (...missing: readonly string[]): SpeedUnknown => ({ ok: false, missing });

/** What a speed depends on in addition to the run's estimate. */
export interface SpeedOptions {
  readonly constants?: Constants;
  /** What a calibration measured on this type of GPU. */
  readonly rates?: MeasuredRates | null;
  readonly length?: RunLength | null;
  /** Rows are as long as the run was estimated for: the data were counted. */
  readonly lengthsAreKnown?: boolean;
  /** The run turns texts into vectors: a step is one pass forward. */
  readonly embeds?: boolean;
}

/**
 * The speed of a run on its target: a roofline per class of operation over the work that the memory model counted. A
 * pure function. Unknown where memory is, where the catalog has no rates, and where only the data tell how long rows are.
 */
export function speedOf(
  estimate: Estimate | null,
  target: Target | null,
  options: SpeedOptions = {},
): SpeedResult {
  const { constants = CONSTANTS, rates = null } = options;
  const ranks = estimate?.work ?? [];
  const [first] = ranks;
  const missing = lackingOf(estimate, first, target, options);
  const gpu = target?.gpu ?? null;
  const device = deviceOf(gpu);
  if (missing !== null) return unknown(missing);
  if (!first || gpu === null) return unknown('the GPU type');
  if (device === null) return unknown(`the published rates of ${gpu.label}`);
  const step = stepTime(ranks, measuredDevice(device, rates, constants), constants);
  if (step === null) return unknown('what a step computes');
  const speed = answerOf(first, step, gpu, device.flops.half, options);
  return options.embeds ? ofBatches(speed, first, options.lengthsAreKnown ?? false) : speed;
}

/** What an estimate of time lacks except the GPU's rates, as a phrase; null: nothing. */
function lackingOf(
  estimate: Estimate | null,
  rank: RankWork | undefined,
  target: Target | null,
  { lengthsAreKnown = false, embeds = false }: SpeedOptions,
): string | null {
  if (estimate === null) return 'an estimate of the memory';
  if (!rank) return 'what a step computes (its code is not modeled)';
  if (!embeds && (rank.task !== 'train' || rank.backward === null)) return 'a step of training';
  if (estimate.onMachine) return 'the rates of a CPU';
  if (!target?.gpu) return 'the GPU type';
  return rank.isAtMost && !lengthsAreKnown && !embeds ? 'how long the texts are: rows are not packed' : null;
}

function answerOf(
  rank: RankWork,
  step: StepTime,
  gpu: NonNullable<Target['gpu']>,
  peak: number,
  { length = null, rates = null }: SpeedOptions,
): Speed {
  const { dataRanks, tensorRanks } = rank.sent;
  const slice = tensorRanks * rank.stages;
  const gpus = dataRanks * slice;
  const unit = rank.isOfTexts ? 'tokens' : 'samples';
  const each = rank.rows * (rank.isOfTexts ? rank.tokens : 1) * rank.passes;
  const seconds = ranged(step.seconds, SPREADS[gpus > 1 ? 'several' : 'one']);
  const steps = length?.steps ?? USUAL_STEPS;
  const hours = scaled(seconds, steps / 3600);
  const price = priceOf(gpu.label);
  const perGpu = each / slice;
  return {
    ok: true,
    each: 'step',
    secondsPerStep: seconds,
    unit,
    perSecondPerGpu: {
      low: perGpu / seconds.high,
      expected: perGpu / seconds.expected,
      high: perGpu / seconds.low,
    },
    perStep: each * dataRanks,
    mfu: step.usefulFlops / step.seconds / peak,
    shares: sharesOf(step),
    gpus,
    length,
    hours,
    dollars: price && scaled(hours, gpus * price.usdPerHour),
    price,
    kilowattHours: gpu.powerW === null ? null : scaled(hours, (gpus * gpu.powerW) / 1000),
    assumptions: [...assumptionsOf(rank, gpus), ...calibrated(rates)],
  };
}

/** The same for a batch of texts that are embedded; they are as long as the limit where nobody counted them. */
function ofBatches(speed: Speed, { tokens }: RankWork, lengthsAreKnown: boolean): Speed {
  const batches: Speed = { ...speed, each: 'batch' };
  if (lengthsAreKnown) return batches;
  const assumptions = [phrase`texts of ${tokens} tokens, the limit`, ...speed.assumptions];
  return { ...batches, assumptions, assumedTokens: tokens };
}

const ranged = (expected: number, { low, high }: Spread): Range => ({
  low: expected * low,
  expected,
  high: expected * high,
});

/**
 * The speed with rows of an expected length that nobody counted, beside those with the shortest and the longest usual rows. Both
 * doubts are independent: the squares of their logarithms add up.
 */
export function withAssumedRows(
  expected: Speed,
  others: readonly Speed[],
  { tokens, says }: { readonly tokens: number; readonly says: string },
): Speed {
  const wider = (of: (speed: Speed) => Range): Range => {
    const own = of(expected);
    const all = [expected, ...others].map(one => of(one).expected);
    const away = (bound: number, other: number): number =>
      Math.exp(Math.hypot(Math.log(bound / own.expected), Math.log(other / own.expected)));
    const below = away(own.low, Math.min(...all));
    return {
      low: own.expected / below,
      expected: own.expected,
      high: own.expected * away(own.high, Math.max(...all)),
    };
  };
  const seconds = wider(({ secondsPerStep }) => secondsPerStep);
  return {
    ...slowed(expected, seconds),
    perSecondPerGpu: wider(({ perSecondPerGpu }) => perSecondPerGpu),
    assumptions: [says, ...expected.assumptions],
    assumedTokens: tokens,
  };
}

/** The same run with other seconds of a step: its hours, dollars and energy follow. */
export function slowed(speed: Speed, seconds: Range): Speed {
  const was = speed.secondsPerStep;
  const by = (amount: Range): Range => ({
    low: (amount.low * seconds.low) / was.low,
    expected: (amount.expected * seconds.expected) / was.expected,
    high: (amount.high * seconds.high) / was.high,
  });
  const rate = speed.perSecondPerGpu;
  return {
    ...speed,
    secondsPerStep: seconds,
    perSecondPerGpu: {
      low: (rate.low * was.high) / seconds.high,
      expected: (rate.expected * was.expected) / seconds.expected,
      high: (rate.high * was.low) / seconds.low,
    },
    mfu: (speed.mfu * was.expected) / seconds.expected,
    hours: by(speed.hours),
    dollars: speed.dollars && by(speed.dollars),
    kilowattHours: speed.kilowattHours && by(speed.kilowattHours),
  };
}

const scaled = ({ low, expected, high }: Range, by: number): Range => ({
  low: low * by,
  expected: expected * by,
  high: high * by,
});

const sharesOf = ({ seconds, parts }: StepTime): Speed['shares'] =>
  (Object.entries(parts) as readonly [Part, number][])
    .map(([part, of]) => ({ part, share: of / seconds }))
    .toSorted((a, b) => b.share - a.share);

const calibrated = (rates: MeasuredRates | null): readonly string[] =>
  rates ? [phrase`rates as calibrated on such a GPU (${rates.at.slice(0, 10)})`] : [];

function assumptionsOf({ stages, sent }: RankWork, gpus: number): readonly string[] {
  const network =
    gpus > 8 ? [phrase`machines of 8 GPUs with 400 Gbit/s of network for each (200 before Hopper)`] : [];
  const even = stages > 1 ? [phrase`stages of equal work`] : [];
  const routed =
    sent.routedBytes > 0 ? [phrase`the router sends every rank as many tokens as the others`] : [];
  return [...network, ...even, ...routed, phrase`data arrive in time; saving and evaluating are not counted`];
}

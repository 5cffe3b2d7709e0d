import { datasetsOf } from '../dialects/datasetsOf';
import type { Target } from '../hardware/gpu';
import { amongPublished, longestOfDrawn, publishedLengths } from '../lengths/published';
import type { PublishedLengths } from '../lengths/published';
import type { Bytes, DeviceEstimate, Estimate, EstimateResult, Verdict } from '../memory/estimate';
import { estimateRun } from '../memory/estimateRun';
import type { EstimateOptions } from '../memory/estimateRun';
import { towerOf } from '../models/languageModel';
import type { ModelFacts } from '../models/model';
import type { DatasetRef } from '../spec/dataset';
import type { RunSpec } from '../spec/runSpec';
import { learned } from './learned';
import type { Learned, Lessons } from './learned';
import { groupDigits } from '../units';
import { roundedUp, useOf, withRowLimit } from './dataLengths';
import { phrase } from '../text/say';

/** A run, and what its estimate depends on. */
interface Estimated {
  readonly run: RunSpec;
  readonly model: ModelFacts | null;
  readonly target: Target | null;
  readonly lessons?: Lessons | undefined;
}

/** The estimate of a run: computed for the rows that its data probably have, and adjusted by measurements. */
export function estimated({ lessons, ...about }: Estimated, options: EstimateOptions): Learned {
  const computed = estimateRun(about.run, about.model, about.target, options);
  return learned({ ...about, result: estimateByPublished(about, computed, options) }, lessons);
}

/**
 * The length of a row is a limit, and few data reach a high one. The expected bytes are those of the longest row that is
 * expected by published lengths: of the data if they are public, otherwise of half of all public data. The limit stays
 * possible: it decides how much memory the run may take, and whether it is said to fit.
 */
export function estimateByPublished(
  { run, model, target }: Estimated,
  computed: EstimateResult,
  options: EstimateOptions,
): EstimateResult {
  if (!computed.ok || !isTraining(run) || useOf(run) !== 'longest') return computed;
  const limit = run.quantities.seqLen.value;
  const known = knownTokens(run, model);
  const tokens = known ?? usualTokens(run, model);
  if (tokens === null) return computed;
  const isLimit = limit !== null && tokens >= limit;
  if (isLimit && known !== null) return computed;
  const found = isLimit ? computed : estimateRun(withRowLimit(run, tokens), model, target, options);
  if (!found.ok) return computed;
  if (isLimit) return { ok: true, estimate: atLeastShort(found.estimate, run, limit, phrase`the limit`) };
  const whose =
    known === null ? phrase`usual in public data` : phrase`expected by published lengths of the data`;
  const most = computed.estimate;
  const {
    devices,
    assumptions,
    doubts = [],
  } = known === null ? atLeastShort(found.estimate, run, tokens, null) : found.estimate;
  return {
    ok: true,
    estimate: {
      ...most,
      devices: devices.map((device, at) => between(device, most.devices[at])),
      assumptions: [...assumptions, phrase`rows of ${tokens} tokens, the longest that is ${whose}`],
      doubts,
    },
  };
}

const OTHER_TASKS: ReadonlySet<string> = new Set(['infer', 'serve', 'embed', 'load']);

const isTraining = ({ quantities: { task } }: RunSpec): boolean => !OTHER_TASKS.has(task.value ?? '');

/** Tokens of a row in the batch that takes most; null: some data are not in the table, or have pictures for no tower. */
function knownTokens(run: RunSpec, model: ModelFacts | null): number | null {
  const known = knownLengths(run, model);
  return known && roundedUp(Math.max(...known.map(([lengths, dataset]) => rowIn(run, lengths, dataset))));
}

type KnownLengths = readonly (readonly [PublishedLengths, DatasetRef])[];

function knownLengths(run: RunSpec, model: ModelFacts | null): KnownLengths | null {
  const datasets = datasetsOf(run);
  const known = datasets.flatMap(dataset => {
    const lengths = publishedLengths(dataset.path);
    return lengths && (!lengths.hasPictures || sees(model)) ? [[lengths, dataset] as const] : [];
  });
  return known.length === 0 || known.length < datasets.length ? null : known;
}

/** Tokens of a row in an average batch: as short and as long as they are in 5 % of public data, and what is expected. */
export interface UsualRows {
  readonly short: number;
  readonly expected: number;
  readonly long: number;
  /** The expected number, and where it is from, as a phrase. */
  readonly says: string;
}

/** How long rows probably are where only the data tell; null: no batch follows the lengths of its rows. */
export function usualRows(run: RunSpec, model: ModelFacts | null): UsualRows | null {
  if (!isTraining(run) || useOf(run) !== 'longest') return null;
  const most = run.quantities.seqLen.value ?? Infinity;
  const cut = (tokens: number): number => Math.max(1, Math.ceil(Math.min(most, tokens)));
  const known = knownLengths(run, model);
  if (known) {
    const rows = known.reduce((sum, [lengths]) => sum + lengths.rows, 0);
    const mean = known.reduce((sum, [lengths]) => sum + (lengths.rows / rows) * batchRow(run, lengths), 0);
    const expected = cut(mean);
    const says = phrase`rows of ${groupDigits(expected)} tokens, by published lengths of the data`;
    return { short: expected, expected, long: expected, says };
  }
  const among = (share: number): number => amongPublished(share, lengths => batchRow(run, lengths));
  const [short, expected] = [cut(among(RARE)), cut(among(0.5))];
  const long = cut(among(1 - RARE) + (sees(model) ? PICTURE : 0));
  const range = phrase`${groupDigits(short)} to ${groupDigits(long)}`;
  const says = phrase`rows of ${groupDigits(expected)} tokens (${range}), usual in public data: yours were not counted`;
  return { short, expected, long, says };
}

const RARE = 0.05;

/** Batches are padded to their longest row, which is no shorter than the mean; without padding, rows have the mean. */
function batchRow(run: RunSpec, lengths: PublishedLengths): number {
  const picture = lengths.hasPictures ? PICTURE : 0;
  const rows = run.quantities.microBatchSize.value ?? 1;
  const padded = run.details.paddedRows?.value !== false;
  return Math.max(lengths.mean, padded ? longestOfDrawn(lengths, rows) : 0) + picture;
}

/** Tokens of a picture at most, in the range that the README of Qwen2-VL recommends for most uses. */
const PICTURE = 1280;

const sees = (model: ModelFacts | null): boolean => model !== null && towerOf(model) !== null;

/** What is usual; null: only long data need a limit above the positions that a model was made for. */
function usualTokens(run: RunSpec, model: ModelFacts | null): number | null {
  const limit = run.quantities.seqLen.value;
  if (limit === null || limit > (model?.maxPositions ?? Infinity)) return null;
  return roundedUp(
    amongPublished(0.5, lengths => longestOfDrawn(lengths, rowsSeen(run))) + (sees(model) ? PICTURE : 0),
  );
}

/** Terms that grow with the tokens of a batch. */
const GROWING: ReadonlySet<string> = new Set(['activations', 'logits and loss', 'inputs and buffers']);

/**
 * The estimate with what short rows would take as its least: nothing is known of the data, and in one public dataset of
 * twenty the longest row is no longer. What grows with tokens grows in proportion, and the allocator's slack with it.
 * `says`: what the rows are as long as; null: it is said elsewhere.
 */
function atLeastShort(estimate: Estimate, run: RunSpec, tokens: number, says: string | null): Estimate {
  const short = amongPublished(RARE, lengths => longestOfDrawn(lengths, rowsSeen(run)));
  const less = 1 - Math.min(1, short / tokens);
  if (less === 0) return estimate;
  const note = says === null ? [] : [phrase`rows of ${tokens} tokens, ${says}`];
  return {
    ...estimate,
    devices: estimate.devices.map(device => withLeast(device, less)),
    assumptions: [...estimate.assumptions, ...note],
  };
}

/** `less`: the part of the tokens that shorter rows do not have. */
function withLeast(device: DeviceEstimate, less: number): DeviceEstimate {
  const sum = (counts: (term: string) => boolean): number =>
    device.terms.reduce((bytes, { term, bytes: own }) => bytes + (counts(term) ? own : 0), 0);
  const growing = less * sum(term => GROWING.has(term));
  const slack = less * sum(term => term === 'allocator slack');
  const from = (bytes: Bytes, spared: number): Bytes => ({
    ...bytes,
    low: bytes.low * (1 - Math.min(1, spared / Math.max(bytes.expected, spared, 1))),
  });
  const allocated = from(device.allocated, growing);
  const reserved = notUnder(from(device.reserved, growing + slack), allocated);
  return { ...device, allocated, reserved, device: notUnder(from(device.device, growing + slack), reserved) };
}

const notUnder = (bytes: Bytes, part: Bytes): Bytes => ({ ...bytes, low: Math.max(bytes.low, part.low) });

/** Rows that are padded are as long as the longest of all batches; if they stand one after the other, only one is. */
function rowIn(run: RunSpec, lengths: PublishedLengths, { rows, mostRows }: DatasetRef): number {
  const drawn = rows ?? mostRows ?? Infinity;
  const picture = lengths.hasPictures ? PICTURE : 0;
  const longest = longestOfDrawn(lengths, Math.min(drawn, rowsSeen(run)));
  if (run.details.paddedRows?.value !== false) return longest + picture;
  const others = (run.quantities.microBatchSize.value ?? 1) - 1;
  return (longest + others * Math.min(longest, lengths.mean)) / (others + 1) + picture;
}

/** The rows that training reads; infinite if that is not stated. */
function rowsSeen({ details: { maxSteps }, quantities: { effectiveBatch } }: RunSpec): number {
  const steps = maxSteps?.value ?? null;
  return steps === null || steps <= 0 || effectiveBatch.value === null
    ? Infinity
    : steps * effectiveBatch.value;
}

/** Expected as with the data, at most as with the limit. */
function between(expected: DeviceEstimate, most: DeviceEstimate | undefined): DeviceEstimate {
  if (most === undefined) return expected;
  const upTo = (a: Bytes, b: Bytes): Bytes => ({ ...a, high: Math.max(a.high, b.high) });
  return {
    ...expected,
    allocated: upTo(expected.allocated, most.allocated),
    reserved: upTo(expected.reserved, most.reserved),
    device: upTo(expected.device, most.device),
    verdict: verdictOf(expected.verdict, most.verdict),
  };
}

/** What fits only with shorter rows is tight. */
const verdictOf = (expected: Verdict, most: Verdict): Verdict =>
  most === 'exceeds' && expected !== 'exceeds' ? 'tight' : most;

import { readFileSync } from 'node:fs';
import type { RunAnalysis } from '../../../src/core/rules/analysis';
import type { Bytes, DeviceEstimate, Refusal, ServedRoom, Verdict } from '../../../src/core/memory/estimate';
import type { TermName } from '../../../src/core/models/terms';
import { UsageError, jsonLines } from '../toolArguments';

/** A number that was measured, and the file that was run for it. */
export interface Pair {
  readonly id: string;
  readonly file: string;
  /** The run of the file by its name; null: the file has one. */
  readonly run: string | null;
  readonly gpu: string;
  readonly gpus: number;
  readonly metric: string;
  readonly value: number;
  readonly unit: string;
  /** The number can't be what this file takes: it counts for nothing. */
  readonly suspect?: boolean;
  /** What a user has on the machine, in words: `vLLM 0.19.0 (image …)`. */
  readonly context?: string;
  /** False: why the run failed is not in the file (a gated model, another process). */
  readonly decidable_from_file?: boolean;
}

export function pairsIn(path: string): readonly Pair[] {
  return jsonLines(path).map((value, at) => {
    const pair = value as Pair;
    if (typeof pair.file === 'string' && typeof pair.metric === 'string') return pair;
    throw new UsageError(`${path}, line ${at + 1} is not a pair: it needs at least a file and a metric.`);
  });
}

/** How an amount in a pair's metric is read off the estimate of a device. */
type Amount = (device: DeviceEstimate) => Bytes;

/** Rows of the sum are as sure as the whole. */
const rowsOf =
  (...names: readonly TermName[]): Amount =>
  ({ terms, device }) => {
    const rows = terms.filter(({ term }) => names.includes(term));
    const expected = rows.reduce((sum, { bytes }) => sum + bytes, 0);
    const share = device.expected === 0 ? 0 : expected / device.expected;
    return { low: device.low * share, expected, high: device.high * share };
  };

const AMOUNTS: ReadonlyMap<string, Amount> = new Map([
  ['torch allocated', ({ allocated }) => allocated],
  ['torch reserved', ({ reserved }) => reserved],
  ['device', ({ device }) => device],
  ['weights GiB', rowsOf('weights')],
  ['kv GiB', rowsOf('kv cache')],
]);

/** How a pair's metric is read off what a server answers; sure as the amounts say. */
const ANSWERS: ReadonlyMap<string, (served: ServedRoom) => number | null> = new Map([
  ['weights GiB', served => served.weightsBytes],
  ['activation GiB', served => served.activationBytes],
  ['non-torch GiB', served => served.besideTorchBytes],
  ['cuda graph GiB', served => served.graphsBytes],
  ['kv GiB', served => served.cacheBytes],
  ['kv tokens', served => served.tokens],
  ['max concurrency', served => served.sequences],
]);

/** That a run fails for want of memory is compared with the verdict. */
const FAILS = 'fails';

/** Hours, tokens per second and what no row of an estimate has are not compared. */
export const isOfMemory = ({ metric, decidable_from_file: decidable }: Pair): boolean =>
  AMOUNTS.has(metric) || ANSWERS.has(metric) || (metric === FAILS && decidable !== false);

const UNITS: ReadonlyMap<string, number> = new Map([
  ['GiB', 2 ** 30],
  ['MiB', 2 ** 20],
  ['GB', 1e9],
  ['MB', 1e6],
  ['bytes', 1],
  ['tokens', 1],
  ['x', 1],
]);

/** The release of a package that a pair's machine has; null: it does not say. */
export function installedIn({ context = '' }: Pair, library: string): string | null {
  const [, name = '', release = null] = /^(\w+) (\d+(?:\.\d+)+)/.exec(context) ?? [];
  return name.toLowerCase() === library ? release : null;
}

function bytesOf({ id, value, unit }: Pair): number {
  const scale = UNITS.get(unit);
  if (scale === undefined) throw new UsageError(`${id}: the unit ${unit} is not known.`);
  return value * scale;
}

/** What was predicted for a pair. */
export interface Compared {
  readonly pair: Pair;
  readonly predicted: number;
  readonly measured: number;
  /** Predicted over measured, less one. */
  readonly error: number;
  readonly isInside: boolean;
}

/** A pair's place in the score. */
export type Outcome =
  | { readonly kind: 'compared'; readonly compared: Compared }
  /** Of a run that failed: whether the verdict said that it fits, and whether what was said is why it failed. */
  | { readonly kind: 'judged'; readonly pair: Pair; readonly saysFits: boolean; readonly hasReason: boolean }
  | { readonly kind: 'missing'; readonly pair: Pair; readonly missing: readonly string[] };

/** Compares a pair with what is said of the run that it names, or else of the file's only one. */
export function outcomeOf(pair: Pair, runs: readonly RunAnalysis[]): Outcome {
  const judged = runs.filter(({ judged: isJudged, run }) => isJudged && (pair.run ?? run.name) === run.name);
  const [found] = judged;
  const missing = (...what: readonly string[]): Outcome => ({ kind: 'missing', pair, missing: what });
  if (!found) return missing('a run that is read from the file');
  if (judged.length > 1) return missing('which of the runs it is');
  const device = found.estimate?.devices[0];
  if (!device) return missing(...found.missing);
  const answer = device.served && ANSWERS.get(pair.metric)?.(device.served);
  if (typeof answer === 'number') return comparedWith(pair, exactly(answer));
  const amount = AMOUNTS.get(pair.metric);
  if (!amount && ANSWERS.has(pair.metric)) return missing(`what a server says of ${pair.metric}`);
  if (!amount) return judgedOf(pair, found.verdict, device);
  return comparedWith(pair, amount(device));
}

/** Why a run fails, in the words of a pair's unit. */
const REASONS: Readonly<Record<Reason, RegExp>> = {
  length: /max-model-len|positions/,
  heads: /heads/,
  vocabulary: /vocabulary/,
  share: /free memory|share/,
  cache: /cache/,
  memory: /out of memory/,
};
type Reason = Refusal | 'cache' | 'memory';

function judgedOf(pair: Pair, verdict: Verdict | null, { served }: DeviceEstimate): Outcome {
  const short = served && served.sequences < 1 ? 'cache' : 'memory';
  const reason = served?.refusal ?? (verdict === 'exceeds' ? short : null);
  const hasReason = reason !== null && REASONS[reason].test(pair.unit);
  return { kind: 'judged', pair, saysFits: verdict === 'fits', hasReason };
}

const exactly = (expected: number): Bytes => ({ low: expected, expected, high: expected });

function comparedWith(pair: Pair, { low, expected, high }: Bytes): Outcome {
  const measured = bytesOf(pair);
  const isInside = low <= measured && measured <= high;
  const compared = { pair, predicted: expected, measured, error: expected / measured - 1, isInside };
  return { kind: 'compared', compared };
}

/** The text of a pair's file; null: it holds none. */
export function textOfPair(path: string): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch {
    return null;
  }
}

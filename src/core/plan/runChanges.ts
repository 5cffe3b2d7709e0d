import type { RunAnalysis } from '../rules/analysis';
import { isUnknown } from '../spec/quantity';
import type { Quantity } from '../spec/quantity';
import { quantityNames } from '../spec/names';
import type { RunSpec } from '../spec/runSpec';
import type { QuantityName } from '../spec/values';
import { outcomeOf } from './outcome';

/** A run of two revisions of its files, with what differs. One side is null if the run exists on the other only. */
export interface RunChange {
  readonly file: string;
  /** The run's name; '' if it is the only one of its file. */
  readonly run: string;
  readonly before: RunAnalysis | null;
  readonly after: RunAnalysis | null;
  readonly values: readonly ValueChange[];
}

/** A value of a run that differs between two revisions. */
export interface ValueChange {
  readonly name: QuantityName | LengthName;
  readonly before: Quantity<unknown>;
  readonly after: Quantity<unknown>;
}

/** Details that decide how long a run is, not what it needs. */
const LENGTHS = ['maxSteps', 'epochs'] as const;
type LengthName = (typeof LENGTHS)[number];

/** Estimates that differ by less than this share of the former are the same: a comment can move a rounding. */
const SAME_SHARE = 0.005;

/** Values that only restate others. */
const RESTATED: ReadonlySet<QuantityName> = new Set(['precisionRaw', 'effectiveBatch', 'globalBatchSize']);

/**
 * The runs whose memory, verdict, effective batch size, steps or existence differs between two revisions of a folder,
 * those that became worse first. Runs are paired by file and name; parts of runs are skipped.
 */
export function runChanges(
  before: ReadonlyMap<string, readonly RunAnalysis[]>,
  after: ReadonlyMap<string, readonly RunAnalysis[]>,
): readonly RunChange[] {
  const files = [...new Set([...before.keys(), ...after.keys()])].sort();
  const all = files.flatMap(file => changesOfFile(file, before.get(file) ?? [], after.get(file) ?? []));
  return all.toSorted((one, other) => Number(becameWorse(other)) - Number(becameWorse(one)));
}

/** Whether a run stopped fitting, or is new and does not fit. */
export const becameWorse = ({ before, after }: RunChange): boolean =>
  rank(after) > 0 && rank(after) > rank(before);

/** Whether a run that did not fit, or was tight, is better now. */
export const becameBetter = ({ before, after }: RunChange): boolean =>
  after !== null && after.verdict !== 'unknown' && rank(before) > rank(after);

function rank(run: RunAnalysis | null): number {
  if (run?.verdict === 'exceeds') return 2;
  return run?.verdict === 'tight' ? 1 : 0;
}

function changesOfFile(
  file: string,
  before: readonly RunAnalysis[],
  after: readonly RunAnalysis[],
): readonly RunChange[] {
  const judged = (runs: readonly RunAnalysis[]): ReadonlyMap<string, RunAnalysis> =>
    new Map(runs.filter(run => run.judged).map(run => [run.run.name, run]));
  const [former, latter] = [judged(before), judged(after)];
  const names = [...new Set([...former.keys(), ...latter.keys()])];
  return names
    .map(run => changeOf(file, run, former.get(run) ?? null, latter.get(run) ?? null))
    .filter(isWorthTelling);
}

function changeOf(
  file: string,
  run: string,
  before: RunAnalysis | null,
  after: RunAnalysis | null,
): RunChange {
  return { file, run, before, after, values: before && after ? valueChanges(before, after) : [] };
}

function valueChanges({ run: from }: RunAnalysis, { run: to }: RunAnalysis): readonly ValueChange[] {
  const values = quantityNames.flatMap((name): readonly ValueChange[] => {
    const [before, after]: readonly [Quantity<unknown>, Quantity<unknown>] = [
      from.quantities[name],
      to.quantities[name],
    ];
    return RESTATED.has(name) || isSame(before, after) ? [] : [{ name, before, after }];
  });
  return [...values, ...lengthChanges(from, to)];
}

const lengthChanges = ({ details: from }: RunSpec, { details: to }: RunSpec): readonly ValueChange[] =>
  LENGTHS.flatMap(name => {
    const [before = NOT_SAID, after = NOT_SAID] = [from[name], to[name]];
    return isSame(before, after) ? [] : [{ name, before, after }];
  });

const NOT_SAID: Quantity<number> = { value: null, origin: { kind: 'unresolved', why: 'No key says it.' } };

const isSame = (one: Quantity<unknown>, other: Quantity<unknown>): boolean =>
  isUnknown(one) === isUnknown(other) && JSON.stringify(one.value) === JSON.stringify(other.value);

function isWorthTelling({ before, after }: RunChange): boolean {
  if (!before || !after) return true;
  if (lengthChanges(before.run, after.run).length > 0) return true;
  if (before.verdict !== after.verdict) return true;
  const [from, to] = [outcomeOf(before), outcomeOf(after)];
  if (from.effectiveBatch !== to.effectiveBatch) return true;
  const [was, is] = [from.device?.device.expected ?? null, to.device?.device.expected ?? null];
  if (was === null || is === null) return was !== is;
  return Math.abs(is - was) > SAME_SHARE * was;
}

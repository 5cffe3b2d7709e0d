import type { LogLine } from '../../../src/core/data/forms/line';
import type { Progress, ProgressState, StatedMemory } from '../../../src/core/output/progress/progress';
import { readProgress } from '../../../src/core/output/progress/reader';

/** An excerpt and what a person read from it. */
export interface ProgressRecord {
  readonly id: string;
  readonly framework: string;
  readonly text: string;
  readonly expected: {
    readonly steps?: readonly ProgressState[];
    readonly finished: boolean;
    readonly failed: boolean;
  };
}

export interface ProgressSummary {
  readonly excerpts: number;
  readonly fields: number;
  readonly right: number;
  readonly wrong: readonly Wrong[];
}

/** A relative difference from double rounding: 14287.5 ms and 14.2875 s. */
const ROUNDING = 1e-9;

const isNumberAs = (one: unknown, other: unknown): boolean =>
  typeof one === 'number' && typeof other === 'number' && Math.abs(one - other) <= ROUNDING * Math.abs(other);

const same = (got: unknown, expected: unknown): boolean =>
  isNumberAs(got, expected) || JSON.stringify(got) === JSON.stringify(expected);

interface Compared extends Wrong {
  readonly right: boolean;
}

function memoryOf(
  expected: readonly StatedMemory[],
  got: ProgressState | undefined,
  of: string,
): readonly Omit<Compared, 'id'>[] {
  return expected.map(memory => {
    const found = got?.memory?.find(({ what }) => what === memory.what) ?? null;
    return { field: `${of}.memory.${memory.what}`, expected: memory, got: found, right: same(found, memory) };
  });
}

function stateOf(
  expected: ProgressState,
  got: ProgressState | undefined,
  of: string,
): readonly Omit<Compared, 'id'>[] {
  const { memory, ...fields } = expected;
  const plain = Object.entries(fields).map(([field, value]) => {
    const read = got?.[field as keyof ProgressState];
    return { field: `${of}.${field}`, expected: value, got: read, right: same(read, value) };
  });
  return [...plain, ...memoryOf(memory ?? [], got, of)];
}

/** States are compared from the last one backwards; if none is expected, none may be read. */
function statesOf(expected: readonly ProgressState[], got: Progress): readonly Omit<Compared, 'id'>[] {
  const last = got.states.at(-1) ?? null;
  if (expected.length === 0) return [{ field: 'steps', expected: [], got: last, right: last === null }];
  return expected.flatMap((state, at) => stateOf(state, got.states.at(at - expected.length), `steps[${at}]`));
}

function compared(record: ProgressRecord, lines: readonly LogLine[]): readonly Compared[] {
  const { steps = [], finished, failed } = record.expected;
  const got = readProgress(record.text, lines);
  return [
    ...statesOf(steps, got),
    { field: 'finished', expected: finished, got: got.finished, right: finished === got.finished },
    { field: 'failed', expected: failed, got: got.failed, right: failed === got.failed },
  ].map(field => ({ id: record.id, ...field }));
}

/**
 * Reads each excerpt and compares it field by field. `linesOf` gives the lines of the program that printed it;
 * without it, the program is unknown.
 */
export function compareProgress(
  records: readonly ProgressRecord[],
  linesOf: (framework: string) => readonly LogLine[] = () => [],
): ProgressSummary {
  const fields = records.flatMap(record => compared(record, linesOf(record.framework)));
  const wrong = fields.filter(({ right }) => !right);
  return {
    excerpts: records.length,
    fields: fields.length,
    right: fields.length - wrong.length,
    wrong: wrong.map(({ id, field, expected, got }) => ({ id, field, expected, got })),
  };
}

/** A field that was read differently than by a person. */
export interface Wrong {
  readonly id: string;
  readonly field: string;
  readonly expected: unknown;
  readonly got: unknown;
}

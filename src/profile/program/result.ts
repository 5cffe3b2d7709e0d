import type { Fields } from '../answers';
import { fieldsOf, ProfileError, textOf } from '../answers';

/** Something that was made up or refused, and how often. */
export interface Counted {
  readonly what: string;
  readonly times: number;
}

/** A line of code, and the bytes at the peak that it made. */
export interface HoldingLine {
  /** `model.py:42` */
  readonly line: string;
  readonly bytes: number;
}

/** What a program had on the GPU until it was ended. */
export interface ProgramResult {
  /** `finished`: after the steps asked for; otherwise what ended it before. */
  readonly how: 'finished' | 'ended' | 'out of time' | 'out of memory';
  readonly steps: number;
  readonly seconds: number;
  /** Ranks of the run; the first one was followed. */
  readonly gpus: number;
  readonly versions: Readonly<Record<string, string>>;
  readonly phases: Readonly<Record<string, number>>;
  readonly alive: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly lines: Readonly<Record<string, readonly HoldingLine[]>>;
  /** What torch's allocator reserved at most, in bytes. */
  readonly reserved: number;
  readonly convolves: boolean;
  readonly assumed: readonly Counted[];
  /** How often a shape depended on values that do not exist in a dry run. */
  readonly assumedShapes: number;
  readonly standIns: readonly string[];
  /** What the program wanted and did not get: other programs, connections. */
  readonly refused: readonly Counted[];
  /** Files that were written to the scratch folder instead. */
  readonly redirected: number;
  /** What keeps the program from writing: the kernel, or Python's own hooks. */
  readonly sandbox: 'kernel' | 'Python';
  /** Files that decide what the program does, by path in its folder, with a digest each. */
  readonly files: Readonly<Record<string, string>>;
}

const HOWS: ReadonlySet<unknown> = new Set(['finished', 'ended', 'out of time', 'out of memory']);

/** The answer of the scripts. Throws a ProfileError if it has no peak. */
export function programResult(fields: Fields): ProgramResult {
  const phases = fieldsOf(fields['phases'], amountOf);
  if (Math.max(0, ...Object.values(phases)) === 0) {
    throw new ProfileError('cannot', 'The program put nothing on the GPU: it trains on the CPU.');
  }
  return {
    how: HOWS.has(fields['how']) ? (fields['how'] as ProgramResult['how']) : 'ended',
    steps: amountOf(fields['steps']) ?? 0,
    seconds: amountOf(fields['seconds']) ?? 0,
    gpus: amountOf(fields['gpus']) ?? 1,
    versions: fieldsOf(fields['versions'], stringOf),
    phases,
    alive: fieldsOf(fields['alive'], phase => fieldsOf(phase, amountOf)),
    lines: fieldsOf(fields['lines'], linesOf),
    reserved: amountOf(fields['reserved']) ?? 0,
    convolves: fields['convolves'] === true,
    assumed: countedOf(fields['assumed']),
    assumedShapes: amountOf(fields['assumedShapes']) ?? 0,
    standIns: listOf(fields['standIns']).map(textOf),
    refused: countedOf(fields['refused']),
    redirected: amountOf(fields['redirected']) ?? 0,
    sandbox: fields['sandbox'] === 'kernel' ? 'kernel' : 'Python',
    files: fieldsOf(fields['files'], stringOf),
  };
}

const amountOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
const stringOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const recordOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

const countedOf = (value: unknown): readonly Counted[] =>
  listOf(value)
    .map(recordOf)
    .map(one => ({ what: textOf(one['what']), times: amountOf(one['times']) ?? 1 }));

const linesOf = (value: unknown): readonly HoldingLine[] =>
  listOf(value)
    .map(recordOf)
    .map(one => ({ line: textOf(one['line']), bytes: amountOf(one['bytes']) ?? 0 }));

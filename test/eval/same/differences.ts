import type { Json } from '../../../src/core/text/json';
import type { Answers } from './answers';

/** A place where two outputs differ; the values are shortened JSON. */
export interface Difference {
  readonly file: string;
  readonly place: string;
  readonly before: string;
  readonly after: string;
  /** A sentence: it may change without a change of facts. */
  readonly words: boolean;
}

/** Keys whose values are sentences. */
const SENTENCES = new Set(['message', 'note', 'title', 'effect', 'reason', 'text', 'why', 'remedy']);
/** Keys whose values are lists of sentences. */
const LISTS_OF_SENTENCES = new Set(['missing', 'notCounted', 'assumptions', 'arithmetic']);
const LONGEST = 120;

/** The differences between two outputs. */
export function* differences(before: Answers, after: Answers): Generator<Difference> {
  for (const file of new Set([...Object.keys(before), ...Object.keys(after)])) {
    for (const found of unlike(before[file], after[file], '', false)) yield { file, ...found };
  }
}

type Found = Omit<Difference, 'file'>;

function* unlike(
  before: Json | undefined,
  after: Json | undefined,
  place: string,
  words: boolean,
): Generator<Found> {
  if (isHolder(before) && isHolder(after) && Array.isArray(before) === Array.isArray(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const said = words || SENTENCES.has(key) || LISTS_OF_SENTENCES.has(key);
      yield* unlike(
        before[key],
        after[key],
        place === '' ? key : `${place}.${key}`,
        said && isSaid(before[key], after[key]),
      );
    }
  } else if (before !== after) yield { place, before: shown(before), after: shown(after), words };
}

/** A missing sentence, or one where there was none, is a difference of facts. */
const isSaid = (...values: readonly (Json | undefined)[]): boolean =>
  values.every(value => value !== undefined && value !== null);

type Holder = Readonly<Record<string, Json | undefined>>;

const isHolder = (value: Json | undefined): value is Holder => typeof value === 'object' && value !== null;

function shown(value: Json | undefined): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text;
}

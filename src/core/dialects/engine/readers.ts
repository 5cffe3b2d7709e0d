import type { Plain } from '../../yaml/scalars';

/**
 * The result of reading a value: the value; a phrase about what is wrong (`is not a positive whole number`) or who
 * decides instead (`is auto: the trainer fills it in`); or null if this kind of value does not state the quantity,
 * so that the next key is tried.
 */
export type ReadResult<T> =
  | { readonly ok: T }
  | { readonly unfit: string }
  | { readonly left: string }
  | null;

export type ValueReader<T> = (value: Plain) => ReadResult<T>;

const ok = <T>(value: T): ReadResult<T> => ({ ok: value });
const unfit = (phrase: string): ReadResult<never> => ({ unfit: phrase });

/** Python's int(): pydantic and argparse accept quoted digits and underscores, but no exponent. */
const PYTHON_INTEGER = /^\s*[-+]?\d+(?:_\d+)*\s*$/;

function wholeNumber(value: Plain): number | null {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || !PYTHON_INTEGER.test(value)) return null;
  return Number(value.replaceAll('_', ''));
}

function counted(least: number, other: ReadResult<never>): ValueReader<number> {
  return value => {
    if (value === null) return null;
    if (typeof value === 'object') return other;
    const number = wholeNumber(value);
    if (number === null) return unfit('is not a number to Python');
    return Number.isSafeInteger(number) && number >= least ? ok(number) : other;
  };
}

/** 1, 2, 3 … */
export const count = counted(1, unfit('is not a positive whole number'));

/** 0, 1, 2 … */
export const countOrNone = counted(0, unfit('is not a whole number of 0 or more'));

/** Any finite number; text that Python's float() accepts counts. */
export const number: ValueReader<number> = value => {
  if (typeof value === 'object') return null;
  const read = typeof value === 'string' && value.trim() !== '' ? Number(value.replaceAll('_', '')) : value;
  return typeof read === 'number' && Number.isFinite(read) ? ok(read) : unfit('is not a number');
};

/** Text as it is. */
export const text: ValueReader<string> = value => (typeof value === 'string' ? ok(value) : null);

const YES = /^(?:1|on|t|true|y|yes)$/i;
const NO = /^(?:0|off|f|false|n|no)$/i;

/** Booleans, and the words that pydantic and transformers' argument parser accept as booleans. */
export const flag: ValueReader<boolean> = value => {
  if (typeof value === 'boolean') return ok(value);
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const word = String(value);
  if (YES.test(word)) return ok(true);
  return NO.test(word) ? ok(false) : unfit('is neither true nor false');
};

/** Placeholders for the user to fill in: `<your-model>`, `???`. */
const PLACEHOLDER = /^(?:<[^>]*>|\?\?\?)$/;

/** Python's None is a plain word in every YAML loader. */
const PYTHON_NONE = 'None';

/** A scalar as text. YAML's `.nan` and `.inf` are numbers, not names. */
export const word: ValueReader<string> = value => {
  if (typeof value === 'object') return null;
  if (typeof value === 'number' && !Number.isFinite(value)) return unfit('is not a name');
  const text = String(value);
  if (text === PYTHON_NONE) return unfit('is the word "None" to YAML: nothing is written null');
  return PLACEHOLDER.test(text) ? unfit('is still to be filled in') : ok(text);
};

/** Other values as JSON: `String` throws on a mapping with a key `toString`. */
const textOf = (item: Plain): string =>
  typeof item === 'object' && item !== null ? JSON.stringify(item) : String(item);

/** A list of words; a single word counts as a list of one. */
export const words: ValueReader<readonly string[]> = value => {
  if (value === null) return null;
  if (Array.isArray(value)) return ok((value as readonly Plain[]).map(textOf));
  return typeof value === 'object' ? null : ok([String(value)]);
};

/** One of some words (case-insensitive), with their meanings. */
export function oneOf<T>(meanings: Readonly<Record<string, T>>): ValueReader<T> {
  return value => {
    if (typeof value === 'object') return null;
    const key = String(value).toLowerCase();
    return Object.hasOwn(meanings, key)
      ? ok(meanings[key] as T)
      : unfit(`is not one of ${Object.keys(meanings).join(', ')}`);
  };
}

/** DeepSpeed's and accelerate's `auto`: only the trainer knows the value. */
export function unlessAuto<T>(reader: ValueReader<T>): ValueReader<T> {
  return value => (value === 'auto' ? { left: 'is auto: the trainer fills it in' } : reader(value));
}

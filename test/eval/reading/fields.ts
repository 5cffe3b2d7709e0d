import { basename } from '../../../src/core/text/paths';
import type { OriginKind, Quantity } from '../../../src/core/spec/quantity';
import { GROUPS } from './groups';
import { sameSize, sameTask } from './visionWords';

/** A record of an expected file: what a person read from a config. */
export interface Expected {
  readonly id: string;
  readonly file: string;
  readonly dialect: string;
  readonly defaulted?: readonly string[];
  /** Every correct value of a field on which careful readers differ; `*`: refusing the file is correct, too. */
  readonly accept?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** What was read for one field. */
export interface Got {
  readonly value: unknown;
  /** Null for values that combine several quantities. */
  readonly origin: OriginKind | null;
}

/** A field that was read differently. */
export interface Wrong {
  readonly id: string;
  readonly field: string;
  readonly expected: unknown;
  readonly got: unknown;
}

export const gotOf = (quantity: Quantity<unknown>, value: unknown = quantity.value): Got => ({
  value,
  origin: quantity.origin.kind,
});

/** Compares the fields that a record has; `undefined` in `got` means not read at all. */
export function compare(
  record: Expected,
  fields: readonly string[],
  got: Readonly<Record<string, Got | undefined>>,
): Wrong[] {
  return fields.flatMap(field => {
    const expected = record[field];
    const answer = got[field];
    if (
      answer !== undefined &&
      rightValues(record, field).some(one => sameField(record, field, one, answer))
    ) {
      return [];
    }
    const shown = answer === undefined ? 'not read' : { value: answer.value, origin: answer.origin };
    return [{ id: record.id, field, expected, got: shown }];
  });
}

/** The person's value, and other equally correct ones. */
function rightValues(record: Expected, field: string): readonly unknown[] {
  const accepted = record.accept?.[field];
  return [record[field], ...(Array.isArray(accepted) ? (accepted as readonly unknown[]) : [])];
}

/** The answers for an unread file: every field is unknown. */
export const unknownIn = (fields: readonly string[]): Record<string, Got> =>
  Object.fromEntries(fields.map(field => [field, { value: null, origin: null }]));

function sameField(record: Expected, field: string, expected: unknown, got: Got): boolean {
  if (field === 'dialect') return sameDialect(expected, got.value);
  const defaulted = record.defaulted?.includes(field) === true;
  // A default passed off as stated in the file is wrong, whatever its value.
  if (defaulted && got.origin === 'file') return false;
  if (field === 'optimizer' && defaulted) return plainAdamW(expected) === plainAdamW(got.value);
  // README_general.md: -1 and auto mean all available devices.
  if (field === 'devices' && expected === -1) return got.value === 'auto';
  if (field === 'ds_config_ref') return same(fileName(expected), got.value);
  if (field === 'precision_raw') return sameWords(expected, got.value);
  if (field === 'task') return sameTask(expected, got.value);
  if (field === 'img_size') return sameSize(expected, got.value);
  return same(expected, got.value);
}

/** By the record's name for it, or one of ours in the same group. */
const sameDialect = (expected: unknown, got: unknown): boolean =>
  expected === got || (typeof got === 'string' && (GROUPS[String(expected)] ?? []).includes(got));

/** Files are compared by name: their folders differ between the corpus and the original repositories. */
const fileName = (reference: unknown): string | null =>
  reference === null ? null : basename((reference as { readonly path: string }).path);

/** Equal for memory; the default depends on the torch release (expected-llm.md). */
const plainAdamW = (name: unknown): unknown => (name === 'adamw_torch_fused' ? 'adamw_torch' : name);

/**
 * The words of the file, in any order and with or without sections and dashes before a key; `no fp16/bf16 key` and
 * text in brackets are remarks of the person who read it. A switch that is off beside others decides nothing.
 */
function sameWords(expected: unknown, got: unknown): boolean {
  // A number is compared as its text.
  if (typeof expected === 'number') return String(expected) === got;
  if (typeof expected !== 'string' || typeof got !== 'string') return same(expected, got);
  return same(wordsOf(expected), wordsOf(got));
}

function wordsOf(text: string): readonly string[] {
  const words = text
    .toLowerCase()
    .replaceAll(/['"]/g, '')
    .split(', ')
    .map(part => part.replace(/ \(.*\)$/, '').replace(/^--/, ''))
    .filter(part => !/^no .* key$/.test(part))
    .map(part => part.replace(/^(?:train|trainer|training|model)\./, ''));
  const on = words.filter(word => !word.endsWith(': false'));
  return (on.length > 0 ? on : words).toSorted();
}

/** Compares values; of an object, the expected members, and no other member may state anything. */
function same(expected: unknown, got: unknown): boolean {
  if (expected === null || got === null || typeof expected !== 'object' || typeof got !== 'object') {
    return Object.is(expected ?? null, got ?? null);
  }
  if (Array.isArray(expected)) {
    return (
      Array.isArray(got) && expected.length === got.length && expected.every((item, i) => same(item, got[i]))
    );
  }
  const wanted = expected as Record<string, unknown>;
  const there = got as Record<string, unknown>;
  return Object.keys(wanted).every(key => same(wanted[key], there[key]));
}

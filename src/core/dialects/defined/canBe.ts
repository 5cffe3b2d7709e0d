import type { DefinedRow } from './definition';
import { rowNamed } from './rows';
import type { RowKind } from './words';

const WORDS: ReadonlySet<RowKind> = new Set<RowKind>(['word', 'precision', 'dtype', 'method', 'head']);
const COUNTS: ReadonlySet<RowKind> = new Set<RowKind>(['count', 'countOrNone', 'number']);

/**
 * Whether a value has the type that its kind is made of. A dialect of a workspace may say anything, and a number where a word has to
 * stand would end the whole analysis.
 */
export function canBe(value: unknown, kind: RowKind): boolean {
  if (value === null) return true;
  if (WORDS.has(kind)) return typeof value === 'string';
  if (kind === 'words') return typeof value === 'string' || isWords(value);
  return !COUNTS.has(kind) || (typeof value === 'number' && Number.isFinite(value)) || value === 'auto';
}

const isWords = (value: unknown): boolean =>
  Array.isArray(value) && value.every(one => typeof one === 'string');

/** A row without what its quantity cannot be; the file's own problems tell of it. */
export function sensible(name: string, row: DefinedRow): DefinedRow {
  const kind = rowNamed(name)?.kind;
  if (kind === undefined) return row;
  // What is made of fields or rows is looked at when it is answered.
  const fitsKind = (value: unknown): boolean => typeof value === 'object' || canBe(value, kind);
  return {
    ...row,
    map: row.map.filter(([, meaning]) => fitsKind(meaning)),
    default: row.default && fitsKind(row.default.value) ? row.default : null,
    always: row.always && fitsKind(row.always.value) ? row.always : null,
    assumed: row.assumed && fitsKind(row.assumed.value) ? row.assumed : null,
    defaults: row.defaults.filter(({ value }) => fitsKind(value)),
  };
}

import type { Change } from '../../plan/remedy';
import type { QuantityName } from '../../spec/values';
import type { ScalarValue } from '../../yaml/node';
import type { KeyWrite, Row, Rule, Written } from '../dialect';
import { Unreadable } from './keyReader';
import type { LayeredRun } from './layeredRun';

/** A change as keys of the dialect that owns the value: the config's own, or that of a file it names. */
export type Wording =
  | { readonly ok: true; readonly owner: LayeredRun; readonly writes: readonly KeyWrite[] }
  | { readonly ok: false; readonly why: string };

type QuantityChange = Exclude<Change, { readonly key: string }>;

export function inWords(reader: LayeredRun, change: Change): Wording {
  try {
    if ('key' in change) {
      return { ok: true, owner: reader, writes: [{ key: change.key, value: change.to }] };
    }
    const owner = ownerOf(reader, change.quantity);
    const written = quantityInWords(owner, change);
    return written.ok ? { ...written, owner } : written;
  } catch (error) {
    if (error instanceof Unreadable) return { ok: false, why: error.message };
    throw error;
  }
}

/** The reader whose own file states a quantity. */
function ownerOf(reader: LayeredRun, quantity: QuantityName): LayeredRun {
  const { origin } = reader.get(quantity);
  if (!('at' in origin)) return reader;
  for (const { key } of reader.dialect.references ?? []) {
    const part = reader.namesPart(key) ? reader.part(key) : null;
    const theirs = part?.get(quantity).origin;
    if (part && theirs && 'at' in theirs && theirs.at === origin.at) return ownerOf(part, quantity);
  }
  return reader;
}

function quantityInWords(owner: LayeredRun, { quantity, to }: QuantityChange): Written {
  const { dialect } = owner;
  const writer = dialect.writers?.[quantity] as ((to: unknown, run: LayeredRun) => Written) | undefined;
  if (writer) return writer(to, owner);
  const row = dialect.quantities[quantity] as Row<unknown> | Rule<unknown> | undefined;
  if (row && typeof row !== 'function') return rowInWords(owner, row, to);
  return { ok: false, why: `${dialect.title} configs have no key for it.` };
}

function rowInWords(owner: LayeredRun, row: Row<unknown>, to: unknown): Written {
  const [first = ''] = row.keys;
  const key = row.keys.find(name => owner.has(name)) ?? row.keys.find(name => owner.isNull(name)) ?? first;
  const value = row.write ? row.write(to) : scalarOf(to);
  if (value === null) return { ok: false, why: `${owner.dialect.title} has no word for ${String(to)}.` };
  return { ok: true, writes: [{ key, value, ...(row.near ? { near: row.near } : {}) }] };
}

const scalarOf = (value: unknown): ScalarValue =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;

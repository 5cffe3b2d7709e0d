import type { Change } from '../../spec/change';
import type { DetailName, QuantityName } from '../../spec/values';
import type { ScalarValue } from '../../yaml/node';
import type { DetailKey, KeyWrite, Row, Rule, WriterTable, Written } from '../dialect';
import { Unreadable } from './keyReader';
import type { LayeredRun } from './layeredRun';

/** Keys to set in the file that a reader owns. */
interface OwnerWrites {
  readonly owner: LayeredRun;
  readonly writes: readonly KeyWrite[];
}

/**
 * A change as keys of the dialect that owns the value (the config's, or that of a file it names), and of every
 * named file that states the same value, because frameworks stop if they differ.
 */
type Wording =
  | { readonly ok: true; readonly writes: readonly OwnerWrites[] }
  | { readonly ok: false; readonly why: string };

type QuantityChange = Extract<Change, { readonly quantity: QuantityName }>;
type DetailChange = Extract<Change, { readonly detail: DetailName }>;

export function wordingOf(
  reader: LayeredRun,
  change: Exclude<Change, { readonly stated: unknown }>,
): Wording {
  try {
    if ('key' in change) {
      return { ok: true, writes: [{ owner: reader, writes: [{ key: change.key, value: change.to }] }] };
    }
    if ('detail' in change) return detailWording(reader, change);
    const writes: OwnerWrites[] = [];
    const first = ownerOf(reader, change.quantity);
    for (const owner of [first, ...echoes(reader, first, change.quantity)]) {
      const written = quantityWording(owner, change);
      if (!written.ok) return written;
      writes.push({ owner, writes: written.writes });
    }
    return { ok: true, writes };
  } catch (error) {
    if (error instanceof Unreadable) return { ok: false, why: error.message };
    throw error;
  }
}

/** Other named files that state the same value themselves; excludes files that take it from a file they name. */
function echoes(reader: LayeredRun, owner: LayeredRun, quantity: QuantityName): LayeredRun[] {
  const { value } = owner.get(quantity);
  return partsOf(reader).filter(part => {
    const ofPart = part.get(quantity);
    const isStated = 'at' in ofPart.origin && ownerOf(part, quantity) === part;
    return part !== owner && value !== null && ofPart.value === value && isStated;
  });
}

function partsOf(reader: LayeredRun): LayeredRun[] {
  return (reader.dialect.references ?? []).flatMap(({ key }) => {
    const part = reader.namesPart(key) ? reader.part(key) : null;
    return part ? [part, ...partsOf(part)] : [];
  });
}

/** The reader whose own file states a quantity. */
function ownerOf(reader: LayeredRun, quantity: QuantityName): LayeredRun {
  const { origin } = reader.get(quantity);
  if (!('at' in origin)) return reader;
  for (const { key } of reader.dialect.references ?? []) {
    const part = reader.namesPart(key) ? reader.part(key) : null;
    const ofPart = part?.get(quantity).origin;
    if (part && ofPart && 'at' in ofPart && ofPart.at === origin.at) return ownerOf(part, quantity);
  }
  return reader;
}

function quantityWording(owner: LayeredRun, { quantity, to }: QuantityChange): Written {
  const { dialect, packs } = owner;
  const ofPack = packs.find(({ pack }) => pack.writers?.[quantity])?.pack.writers;
  const writer = (table: WriterTable | undefined) =>
    table?.[quantity] as ((to: unknown, run: LayeredRun) => Written) | undefined;
  const own = writer(ofPack);
  if (own) return own(to, owner);
  const packRow = owner.packRow(quantity);
  // A global batch is written by the general dialect.
  if (packRow && packRow.scope !== 'global') return rowWording(owner, packRow, to);
  const general = writer(dialect.writers);
  if (general) return general(to, owner);
  const row = rowOf(dialect.quantities[quantity] as Row<unknown> | Rule<unknown> | undefined, owner);
  if (row) return rowWording(owner, row, to);
  return { ok: false, why: `${dialect.title} configs have no key for it.` };
}

const rowOf = (row: Row<unknown> | Rule<unknown> | undefined, owner: LayeredRun): Row<unknown> | null =>
  (typeof row === 'function' ? row.rowOf?.(owner) : row) ?? null;

function detailWording(owner: LayeredRun, { detail, to }: DetailChange): Wording {
  const { detailKeys, title } = owner.dialect;
  const words = detailKeys?.[detail] as DetailKey<unknown> | undefined;
  if (!words) return { ok: false, why: `${title} configs have no key for it.` };
  const keys = words.keysOf?.(owner).toReversed() ?? words.keys;
  const written = rowWording(owner, { ...words, keys }, to);
  return written.ok ? { ok: true, writes: [{ owner, writes: written.writes }] } : written;
}

type Words = Pick<Row<unknown>, 'keys' | 'write' | 'near'>;

function rowWording(owner: LayeredRun, row: Words, to: unknown): Written {
  const [first = ''] = row.keys;
  const key = row.keys.find(name => owner.has(name)) ?? row.keys.find(name => owner.isNull(name)) ?? first;
  const value = row.write ? row.write(to) : scalarOf(to);
  if (value === null) return { ok: false, why: `${owner.dialect.title} has no word for ${String(to)}.` };
  return { ok: true, writes: [{ key, value, ...(row.near ? { near: row.near } : {}) }] };
}

const scalarOf = (value: unknown): ScalarValue =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;

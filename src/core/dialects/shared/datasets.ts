import type { DatasetRef, RowColumns, RowTemplate } from '../../spec/dataset';
import type { RunReader } from '../engine/runReader';
import type { Plain } from '../../yaml/scalars';
import { ownOf } from '../../yaml/tables';

/** Keys with which a dialect names the training data. */
export interface DatasetKeys {
  /** A list or section whose entries have the keys; absent: the keys are not nested. */
  readonly in?: string;
  /** A file, a folder or a hub name, or a list of them. */
  readonly path: string;
  /** Files of the dataset. */
  readonly files?: string;
  /** The key with the function or class that loads the data, which need not be named besides. */
  readonly maker?: string;
  /** What such makers load by default, by the last part of their names. */
  readonly makes?: Readonly<Record<string, string>>;
  readonly template: RowTemplate;
  /** A chat template other than the tokenizer's; null: the tokenizer's. */
  readonly ownTemplate?: (run: RunReader) => string | null;
  /** Keys that name columns. */
  readonly columns?: RowColumns;
}

/** The data that the first matching row of a table finds. */
export const datasetsBy =
  (...table: readonly DatasetKeys[]) =>
  (run: RunReader): readonly DatasetRef[] => {
    for (const keys of table) {
      const found = entriesOf(run, keys).flatMap(ask => refsOf(ask, keys));
      const ownTemplate = keys.ownTemplate?.(run) ?? null;
      if (found.length > 0) return ownTemplate === null ? found : found.map(ref => ({ ...ref, ownTemplate }));
    }
    return [];
  };

/** The first of the keys that names a template. */
export const templateBy =
  (...keys: readonly string[]) =>
  (run: RunReader): string | null =>
    keys.map(key => run.word(key)).find(word => word !== null) ?? null;

type Ask = (key: string) => Plain;

function entriesOf(run: RunReader, keys: DatasetKeys): readonly Ask[] {
  if (keys.in === undefined) return [key => run.value(key)];
  return mappingsIn(run.value(keys.in)).map(entry => key => ownOf(entry, key) ?? null);
}

type Mapping = Readonly<Record<string, Plain>>;

/** A mapping, or the mappings of a list. */
export function mappingsIn(value: Plain): readonly Mapping[] {
  const all: readonly Plain[] = Array.isArray(value) ? (value as readonly Plain[]) : [value];
  return all.filter((one): one is Mapping => typeof one === 'object' && one !== null && !Array.isArray(one));
}

function refsOf(ask: Ask, keys: DatasetKeys): readonly DatasetRef[] {
  const { path, files, template, columns } = keys;
  const stated = wordsIn(ask(path));
  const paths = stated.length > 0 ? stated : madeBy(ask, keys);
  const named = files === undefined ? [] : wordsIn(ask(files));
  const rows = { template, columns: columnsBy(ask, columns) };
  if (paths.length === 0 && named.length > 0) return [{ path: 'json', files: named, ...rows }];
  return paths.map(one => ({ path: one, files: named, ...rows }));
}

function madeBy(ask: Ask, { maker, makes = {} }: DatasetKeys): readonly string[] {
  const name = maker === undefined ? null : wordIn(ask(maker));
  const made = name === null ? undefined : ownOf(makes, name.slice(name.lastIndexOf('.') + 1));
  return made === undefined ? [] : [made];
}

const columnsBy = (ask: Ask, columns: RowColumns = {}): RowColumns =>
  Object.fromEntries(
    Object.entries(columns as Readonly<Record<string, string>>).flatMap(([role, key]) => {
      const name = wordIn(ask(key));
      return name === null ? [] : [[role, name]];
    }),
  );

export const wordIn = (value: Plain | undefined): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null;

/** A word, or the words of a list; for a mapping (splits, weights) its values or keys, whichever are words. */
export function wordsIn(value: Plain | undefined): readonly string[] {
  if (Array.isArray(value)) return (value as readonly Plain[]).flatMap(one => wordsIn(one));
  const word = wordIn(value);
  if (word !== null) return [word];
  if (typeof value !== 'object' || value === null) return [];
  const { train } = value as Mapping;
  if (train !== undefined) return wordsIn(train);
  const entries = Object.entries(value as Mapping);
  return entries.every(([, weight]) => typeof weight === 'number') ? entries.map(([name]) => name) : [];
}

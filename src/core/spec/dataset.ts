/** How a framework makes a row of a record: by the model's chat template, in Alpaca's words, or as it stands. */
export type RowTemplate = 'chat' | 'alpaca' | 'none';

/** Columns that hold what a row is made of, where a config names them; the usual names hold without. */
export interface RowColumns {
  readonly text?: string;
  readonly messages?: string;
  readonly role?: string;
  readonly content?: string;
  readonly system?: string;
  readonly prompt?: string;
  readonly input?: string;
  readonly completion?: string;
  readonly chosen?: string;
  readonly rejected?: string;
}

/** Data that a run is trained on, as its config names them. */
export interface DatasetRef {
  /** A file, a folder, or a name of the hub. */
  readonly path: string;
  /** Files of it, or by themselves where `path` only says how they are read (`json`). */
  readonly files: readonly string[];
  /** File that says what `path` is, where it is a name in a list of LLaMA-Factory's kind. */
  readonly registry?: string;
  readonly template: RowTemplate;
  /** A chat template that is not the tokenizer's: its name in the config, or its text. */
  readonly ownTemplate?: string;
  readonly columns: RowColumns;
}

/** Names under which the `datasets` library reads files that are given in addition to them. */
const LOADERS: ReadonlySet<string> = new Set(['json', 'csv', 'parquet', 'text', 'arrow']);

/** The path only says how `files` are read. */
export const isLoader = ({ path, files }: DatasetRef): boolean => LOADERS.has(path) && files.length > 0;

/** What people call it. */
export const datasetName = (ref: DatasetRef): string => (isLoader(ref) ? ref.files.join(', ') : ref.path);

/** Tells what was counted apart: the data, how rows are made of them, and the model whose tokens they are. */
export function lengthsKey(datasets: readonly DatasetRef[], model: string | null): string {
  const named = datasets.map(({ path, files, registry, template, ownTemplate, columns }) => [
    path,
    files,
    registry ?? '',
    template,
    Object.entries(columns).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    ...(ownTemplate === undefined ? [] : [ownTemplate]),
  ]);
  return JSON.stringify([named, model]);
}

/** The columns that a config names; null stands for one that it does not name. */
export function namedColumns(columns: Readonly<Record<keyof RowColumns, string | null>>): RowColumns {
  return Object.fromEntries(Object.entries(columns).filter(([, name]) => name !== null));
}

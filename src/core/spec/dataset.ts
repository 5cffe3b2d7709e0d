/** How a framework turns a record into a row: by the model's chat template, Alpaca's prompt, or verbatim. */
export type RowTemplate = 'chat' | 'alpaca' | 'none';

/** Columns that form a row, if a config names them; otherwise the usual names apply. */
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

/** Training data as the config names them. */
export interface DatasetRef {
  /** A file, a folder, or a hub name. */
  readonly path: string;
  /** Files of the dataset; `path` may only say how to read them (`json`). */
  readonly files: readonly string[];
  /** The number of rows that are drawn from it; absent: all. */
  readonly rows?: number;
  /** The number of rows that are drawn from it at most; absent: no limit. */
  readonly mostRows?: number;
  /** The file that defines `path`, if it is a name in a list like LLaMA-Factory's. */
  readonly registry?: string;
  readonly template: RowTemplate;
  /** A chat template other than the tokenizer's: its name in the config, or its text. */
  readonly ownTemplate?: string;
  readonly columns: RowColumns;
}

/** Names with which the `datasets` library reads separately given files. */
const LOADERS: ReadonlySet<string> = new Set(['json', 'csv', 'parquet', 'text', 'arrow']);

/** True if the path only says how to read `files`. */
export const isLoader = ({ path, files }: DatasetRef): boolean => LOADERS.has(path) && files.length > 0;

/** The dataset's name for display. */
export const datasetName = (ref: DatasetRef): string => (isLoader(ref) ? ref.files.join(', ') : ref.path);

/** Identifies a count: the data, how rows are formed, and the model of the tokenizer. */
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

/** The columns that a config names; null: not named. */
export function namedColumns(columns: Readonly<Record<keyof RowColumns, string | null>>): RowColumns {
  return Object.fromEntries(Object.entries(columns).filter(([, name]) => name !== null));
}

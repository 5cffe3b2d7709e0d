import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbedError } from '../errors';
import type { EmbedModel } from '../folder/modelFolder';
import type { Precision } from '../folder/weightsFile';
import type { Pooling } from '../folder/pooling';
import type { InputFormat } from '../input/open';
import { replaceFile } from './files';

export const SCHEMA = 'headroom-embeddings/1';
export const MANIFEST = 'manifest.json';

export const OUTPUT_FORMATS = ['npy', 'safetensors', 'parquet'] as const;

export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** Everything that vectors depend on: two outputs that agree in it can be put together. */
export interface ModelRecord {
  readonly name: string;
  readonly runtime: EmbedModel['runtime'];
  readonly weightsSha256: string;
  readonly tokenizerSha256: string;
  readonly precision: Precision;
  readonly poolings: readonly Pooling[];
  readonly normalize: boolean;
  readonly maxTokens: number;
  readonly prompt: string;
  readonly poolPrompt: boolean;
  /** Leading components that are kept; null: all. */
  readonly dimensions: number | null;
}

export interface InputRecord {
  readonly path: string;
  readonly format: InputFormat;
  readonly text: readonly string[];
  readonly id: string | null;
  readonly emptyWhenMissing: boolean;
  /** Only so many of the first texts; absent: all. */
  readonly limit?: number | undefined;
  /** Of the whole input; null for what was piped in. */
  readonly rows: number | null;
  readonly sha256: string | null;
}

/** One file of vectors that is complete. Rows are numbered over the whole input, from 0. */
export interface ShardRecord {
  readonly file: string;
  readonly firstRow: number;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
  /** Ids of the rows, one JSON string a line; null: rows have their numbers, or the file itself has the ids. */
  readonly ids: { readonly file: string; readonly sha256: string } | null;
  /** SHA-256 over the texts; this and what follows is null where parts were put together in other pieces. */
  readonly textsSha256: string | null;
  readonly tokens: number | null;
  /** Texts without any token of their own. */
  readonly empty: number | null;
  /** Texts longer than the model takes. */
  readonly cut: number | null;
}

export interface Manifest {
  readonly schema: typeof SCHEMA;
  readonly state: 'running' | 'complete';
  readonly createdBy: string;
  readonly model: ModelRecord;
  /** Where the model was; null: the default model. */
  readonly modelFolder: string | null;
  /** Releases that calculated, where Headroom's own engine did not. */
  readonly versions?: Readonly<Record<string, string>>;
  readonly input: InputRecord;
  /** Components of a vector; null until the first is known. */
  readonly dimensions: number | null;
  readonly dtype: 'float32';
  readonly format: OutputFormat;
  readonly rowsPerShard: number;
  /** Which part of the input this is, `index` from 0. */
  readonly part: { readonly index: number; readonly of: number };
  readonly firstRow: number;
  /** Rows of this part; null until what is piped in has ended. */
  readonly rows: number | null;
  readonly shards: readonly ShardRecord[];
}

/** The manifest of a folder; null where there is none. */
export async function readManifest(folder: string): Promise<Manifest | null> {
  const path = join(folder, MANIFEST);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new EmbedError('bad-output', `${path}: it cannot be read (${code}).`);
  }
  return parsed(text, path);
}

function parsed(text: string, path: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  const manifest = value as Partial<Manifest> | null;
  const isOurs =
    typeof manifest === 'object' &&
    manifest !== null &&
    manifest.schema === SCHEMA &&
    typeof manifest.model === 'object' &&
    typeof manifest.input === 'object' &&
    Array.isArray(manifest.shards);
  if (isOurs) return manifest as Manifest;
  throw new EmbedError(
    'bad-output',
    `${path}: not a manifest that this version of headroom embed wrote. Name a folder that it wrote.`,
  );
}

export const writeManifest = (folder: string, manifest: Manifest): Promise<void> =>
  replaceFile(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);

/** In what two outputs differ that could not be put together; null where they agree. */
export function modelDifference(one: ModelRecord, other: ModelRecord): string | null {
  const names = Object.keys(one) as (keyof ModelRecord)[];
  const differing = names.find(
    name => name !== 'name' && JSON.stringify(one[name]) !== JSON.stringify(other[name]),
  );
  if (differing === undefined) return null;
  if (differing === 'weightsSha256') return `another model (${one.name}, ${other.name})`;
  if (differing === 'tokenizerSha256') return `another tokenizer (${one.name}, ${other.name})`;
  return `another ${differing} (${JSON.stringify(one[differing])}, ${JSON.stringify(other[differing])})`;
}

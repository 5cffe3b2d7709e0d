import { join } from 'node:path';
import { isRecord } from '../../core/text/json';
import { boundedRead } from '../../files/bounded';
import { diskFault, EmbedError } from '../errors';
import type { EmbedModel, ModelSettings } from '../folder/modelFolder';
import type { InputOptions, Survey } from '../input/rows';
import { replaceSynced } from './files';

export const SCHEMA = 'headroom-embeddings/1';
export const MANIFEST = 'manifest.json';

const OUTPUT_FORMATS = ['npy', 'safetensors', 'parquet'] as const;

export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** Everything that affects vectors: two outputs with the same record can be merged. */
export interface ModelRecord extends Omit<ModelSettings, 'assumed'> {
  readonly runtime: EmbedModel['runtime'];
  readonly weightsSha256: string;
  readonly tokenizerSha256: string;
}

interface InputRecord extends InputOptions, Survey {}

/** One complete file of vectors. Rows are numbered over the whole input, from 0. */
export interface ShardRecord {
  readonly file: string;
  readonly firstRow: number;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
  /** The ids, one JSON string per line; null: rows are numbered, or the file itself contains the ids. */
  readonly ids: { readonly file: string; readonly sha256: string } | null;
  /**
   * SHA-256 over the texts; this and the following fields are null if parts were merged with different boundaries.
   */
  readonly textsSha256: string | null;
  readonly tokens: number | null;
  /** Texts without tokens of their own. */
  readonly empty: number | null;
  /** Truncated texts. */
  readonly cut: number | null;
}

export interface Manifest {
  readonly schema: typeof SCHEMA;
  readonly state: 'running' | 'complete';
  readonly createdBy: string;
  readonly model: ModelRecord;
  /** The model's folder; null: the default model. */
  readonly modelFolder: string | null;
  /** Releases of the engine, if it was not Headroom's own. */
  readonly versions?: Readonly<Record<string, string>>;
  readonly input: InputRecord;
  /** Components of a vector; null until the first is known. */
  readonly dimensions: number | null;
  readonly dtype: 'float32';
  readonly format: OutputFormat;
  readonly rowsPerShard: number;
  /** The part of the input; `index` starts at 0. */
  readonly part: { readonly index: number; readonly of: number };
  readonly firstRow: number;
  /** Rows of this part; null until stdin has ended. */
  readonly rows: number | null;
  readonly shards: readonly ShardRecord[];
}

/** The manifest of a folder; null if there is none. */
export async function readManifest(folder: string): Promise<Manifest | null> {
  const path = join(folder, MANIFEST);
  try {
    const read = await boundedRead(path, MOST_BYTES);
    if (!('why' in read)) return parsed(Buffer.from(read).toString('utf8'), path);
  } catch (error) {
    if (error instanceof EmbedError) throw error;
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new EmbedError('bad-output', `${path}: it cannot be read (${code}).`);
  }
  throw notOurs(path);
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
    isRecord(manifest.model) &&
    isRecord(manifest.input) &&
    isPart(manifest.part) &&
    isCount(manifest.firstRow) &&
    isCount(manifest.rowsPerShard) &&
    (manifest.dimensions === null || isCount(manifest.dimensions)) &&
    Array.isArray(manifest.shards) &&
    manifest.shards.every(isShard);
  if (isOurs) return manifest as Manifest;
  throw notOurs(path);
}

const notOurs = (path: string): EmbedError =>
  new EmbedError(
    'bad-output',
    `${path}: not a manifest that this version of headroom embed wrote. Name a folder that it wrote.`,
  );

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

const isPart = (value: unknown): boolean =>
  isRecord(value) &&
  isCount(value['index']) &&
  isCount(value['of']) &&
  Number(value['index']) < Number(value['of']);

/** Files of shards lie in the folder itself: a manifest leads nowhere else. */
const isShard = (value: unknown): boolean =>
  isRecord(value) &&
  SHARD_FILE.test(String(value['file'])) &&
  isCount(value['firstRow']) &&
  isCount(value['rows']) &&
  (value['ids'] === null || (isRecord(value['ids']) && IDS_FILE.test(String(value['ids']['file']))));

const SHARD_FILE = /^shard-\d+\.(?:npy|safetensors|parquet)$/;
const IDS_FILE = /^shard-\d+\.ids\.jsonl$/;
/** Some 500 bytes for each shard. */
const MOST_BYTES = 256 * 1024 * 1024;

/** Replaces the manifest of a folder. Rejects with an `EmbedError` if the disk does not take it. */
export const writeManifest = (folder: string, manifest: Manifest): Promise<void> =>
  replaceSynced(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`).catch((error: unknown) => {
    throw diskFault(folder, error);
  });

/** The difference that prevents merging two outputs; null if there is none. */
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

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { openRegular, regularStream, whyNotRegular } from '../../files/bounded';
import { EmbedError } from '../errors';
import { fileDigest } from '../folder/modelFolder';
import { linesOf } from '../input/lines';
import type { Lines } from '../input/lines';
import { ParquetRecords } from '../input/parquet';
import { readAt } from './files';
import { npyShape, safetensorsShape } from './headers';
import type { Manifest, ShardRecord } from './manifest';

/** Some rows of a file of vectors, in order. */
export interface Vectors {
  /** `rows × dimensions` numbers. */
  readonly values: Float32Array;
  readonly rows: number;
  /** Null: rows are numbered. */
  readonly ids: readonly string[] | null;
}

/** A file contradicts its manifest. */
export class ShardFlaw extends EmbedError {
  constructor(file: string, what: string) {
    super('bad-output', `${file}: ${what}.`);
  }
}

const FLOAT_BYTES = 4;
const ROWS_AT_ONCE = 2048;
/** No model's vectors have more components: a file that says otherwise would take the memory of a machine. */
const MOST_DIMENSIONS = 1_000_000;
const BYTES_AT_ONCE = 2 ** 25;
/** Bytes that are read of ids at a time. */
const PIECE = 1 << 16;
/** Headers fit within this. */
const START = 4096;

/** The vectors of a file, in chunks; throws a {@link ShardFlaw} if the file contradicts its manifest. */
export async function* readShard(
  folder: string,
  manifest: Manifest,
  shard: ShardRecord,
): AsyncGenerator<Vectors> {
  if (manifest.format === 'parquet') yield* readParquetShard(folder, manifest, shard);
  else yield* readPlainShard(folder, manifest, shard);
}

async function* readPlainShard(
  folder: string,
  manifest: Manifest,
  shard: ShardRecord,
): AsyncGenerator<Vectors> {
  const path = join(folder, shard.file);
  const opened = await openRegular(path).catch(() => null);
  if (opened === null) throw new ShardFlaw(path, 'the file is missing');
  if ('why' in opened) throw new ShardFlaw(path, 'it is not a regular file');
  const { handle } = opened;
  const ids = shard.ids === null ? null : new IdReader(join(folder, shard.ids.file));
  try {
    const start = await readAt(handle, 0, START);
    const shape = (manifest.format === 'npy' ? npyShape : safetensorsShape)(start);
    if (shape === null) throw new ShardFlaw(path, `this is no ${manifest.format} file of float32 vectors`);
    checkShape(path, shape, manifest, shard);
    const hash = createHash('sha256').update(start.subarray(0, shape.dataAt));
    const size = shape.dimensions * FLOAT_BYTES;
    const atOnce = Math.max(1, Math.min(ROWS_AT_ONCE, Math.floor(BYTES_AT_ONCE / size)));
    for (let row = 0; row < shape.rows; row += atOnce) {
      const rows = Math.min(atOnce, shape.rows - row);
      const bytes = await readAt(handle, shape.dataAt + row * size, rows * size);
      if (bytes.length < rows * size) {
        throw new ShardFlaw(
          path,
          `it ends after ${row + Math.floor(bytes.length / size)} of ${shape.rows} rows`,
        );
      }
      hash.update(bytes);
      yield {
        values: new Float32Array(new Uint8Array(bytes).buffer),
        rows,
        ids: (await ids?.next(rows)) ?? null,
      };
    }
    if (hash.digest('hex') !== shard.sha256) throw new ShardFlaw(path, 'its content was changed (SHA-256)');
    await ids?.check(shard);
  } finally {
    await ids?.close();
    await handle.close();
  }
}

function checkShape(
  path: string,
  shape: { readonly rows: number; readonly dimensions: number },
  { dimensions }: Manifest,
  { rows }: ShardRecord,
): void {
  const isOfModel = shape.dimensions > 0 && shape.dimensions <= MOST_DIMENSIONS;
  if (shape.rows === rows && shape.dimensions === dimensions && isOfModel) return;
  throw new ShardFlaw(
    path,
    `its shape is (${shape.rows}, ${shape.dimensions}), and (${rows}, ${dimensions ?? 0}) was written`,
  );
}

/** Reads ids in order, one JSON string per line. */
class IdReader {
  private readonly lines = this.all();
  private ahead: readonly string[] = [];

  constructor(private readonly path: string) {}

  async next(count: number): Promise<readonly string[]> {
    while (this.ahead.length < count) {
      const more = await this.read();
      if (more === null) throw new ShardFlaw(this.path, 'it has fewer ids than there are rows');
      this.ahead = [...this.ahead, ...more];
    }
    const some = this.ahead.slice(0, count);
    this.ahead = this.ahead.slice(count);
    return some;
  }

  async check({ ids }: ShardRecord): Promise<void> {
    if (this.ahead.length > 0 || (await this.read()) !== null) {
      throw new ShardFlaw(this.path, 'it has more ids than there are rows');
    }
    if ((await fileDigest(this.path)) !== ids?.sha256) {
      throw new ShardFlaw(this.path, 'its content was changed (SHA-256)');
    }
  }

  async close(): Promise<void> {
    await this.lines.return(undefined);
  }

  private async *all(): AsyncGenerator<Lines> {
    const stream = await regularStream(this.path, PIECE);
    if ('why' in stream) throw new ShardFlaw(this.path, 'it is not a regular file');
    yield* linesOf(stream, this.path);
  }

  private async read(): Promise<readonly string[] | null> {
    try {
      const more = await this.lines.next();
      return more.done ? null : more.value.lines.map(line => String(JSON.parse(line)));
    } catch (error) {
      if (error instanceof ShardFlaw) throw error;
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      throw new ShardFlaw(this.path, isMissing ? 'the file is missing' : 'it holds something else than ids');
    }
  }
}

async function* readParquetShard(
  folder: string,
  manifest: Manifest,
  shard: ShardRecord,
): AsyncGenerator<Vectors> {
  const path = join(folder, shard.file);
  const why = await whyNotRegular(path).catch(() => 'missing' as const);
  if (why !== null) {
    throw new ShardFlaw(path, why === 'missing' ? 'the file is missing' : 'it is not a regular file');
  }
  const digest = await fileDigest(path);
  if (digest !== shard.sha256) throw new ShardFlaw(path, 'its content was changed (SHA-256)');
  const dimensions = manifest.dimensions ?? 0;
  const file = await ParquetRecords.open(path);
  const hasIds = manifest.input.id !== null;
  for await (const records of file.from(0)) {
    const values = new Float32Array(records.length * dimensions);
    for (const [i, { fields }] of records.entries()) {
      values.set(fields['embedding'] as ArrayLike<number>, i * dimensions);
    }
    yield {
      values,
      rows: records.length,
      ids: hasIds ? records.map(({ fields }) => String(fields['id'])) : null,
    };
  }
}

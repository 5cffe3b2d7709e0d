import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbedError } from '../errors';
import { fileDigest } from '../folder/modelFolder';
import { linesOf } from '../input/lines';
import { ParquetRecords } from '../input/parquet';
import { readAt } from './files';
import { npyShape, safetensorsShape } from './headers';
import type { Manifest, ShardRecord } from './manifest';

/** Some rows of a file of vectors, in order. */
export interface Vectors {
  /** `rows × dimensions` numbers. */
  readonly values: Float32Array;
  readonly rows: number;
  /** Null: rows have their numbers. */
  readonly ids: readonly string[] | null;
}

/** A file is not what its manifest says. */
export class ShardFlaw extends EmbedError {
  constructor(file: string, what: string) {
    super('bad-output', `${file}: ${what}.`);
  }
}

const FLOAT_BYTES = 4;
const ROWS_AT_ONCE = 2048;
/** Headers are within this. */
const START = 4096;

/** The vectors of a file, in pieces; throws a {@link ShardFlaw} where the file is not what the manifest says of it. */
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
  const handle = await open(path, 'r').catch(() => null);
  if (handle === null) throw new ShardFlaw(path, 'the file is missing');
  const ids = shard.ids === null ? null : new IdReader(join(folder, shard.ids.file));
  try {
    const start = await readAt(handle, 0, START);
    const shape = (manifest.format === 'npy' ? npyShape : safetensorsShape)(start);
    if (shape === null) throw new ShardFlaw(path, `this is no ${manifest.format} file of float32 vectors`);
    checkShape(path, shape, manifest, shard);
    const hash = createHash('sha256').update(start.subarray(0, shape.dataAt));
    const size = shape.dimensions * FLOAT_BYTES;
    for (let row = 0; row < shape.rows; row += ROWS_AT_ONCE) {
      const rows = Math.min(ROWS_AT_ONCE, shape.rows - row);
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
  if (shape.rows === rows && shape.dimensions === dimensions) return;
  throw new ShardFlaw(
    path,
    `its shape is (${shape.rows}, ${shape.dimensions}), and (${rows}, ${dimensions ?? 0}) was written`,
  );
}

/** Ids in order, one JSON string a line. */
class IdReader {
  private readonly lines;
  private ahead: readonly string[] = [];

  constructor(private readonly path: string) {
    this.lines = linesOf(createReadStream(path), path)[Symbol.asyncIterator]();
  }

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
    await this.lines.return?.();
  }

  private async read(): Promise<readonly string[] | null> {
    try {
      const more = await this.lines.next();
      return more.done ? null : more.value.lines.map(line => String(JSON.parse(line)));
    } catch (error) {
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
  const digest = await fileDigest(path).catch(() => null);
  if (digest === null) throw new ShardFlaw(path, 'the file is missing');
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

import { createHash } from 'node:crypto';
import { open, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { fileDigest } from '../folder/modelFolder';
import { moveTo } from './files';
import { npyHeader, safetensorsHeader } from './headers';
import type { ShardRecord } from './manifest';
import { writeParquet } from './parquetShard';
import { shardName } from './shard';
import type { ShardPlace } from './shard';

/** The number of rows is exact. */
interface SequentialPlace extends ShardPlace {
  readonly dimensions: number;
}

/** A file of vectors whose rows arrive in order: written sequentially, with a running checksum. */
export class SequentialShard {
  private readonly hash = createHash('sha256');
  private readonly idsHash = createHash('sha256');
  private written = 0;

  private constructor(
    private readonly place: SequentialPlace,
    private readonly data: FileHandle,
    private readonly ids: FileHandle | null,
  ) {}

  static async open(place: SequentialPlace): Promise<SequentialShard> {
    const base = join(place.folder, shardName(place.index));
    const data = await open(`${base}.part`, 'w');
    const shard = new SequentialShard(place, data, place.hasIds ? await open(`${base}.ids.part`, 'w') : null);
    if (place.format !== 'parquet') {
      await shard.put((place.format === 'npy' ? npyHeader : safetensorsHeader)(place.rows, place.dimensions));
    }
    return shard;
  }

  get room(): number {
    return this.place.rows - this.written;
  }

  async add(values: Float32Array, ids: readonly string[] | null): Promise<void> {
    await this.put(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    this.written += values.length / this.place.dimensions;
    if (this.ids === null || ids === null) return;
    const lines = Buffer.from(ids.map(id => `${JSON.stringify(id)}\n`).join(''));
    this.idsHash.update(lines);
    await this.ids.appendFile(lines);
  }

  async finish(): Promise<Omit<ShardRecord, 'textsSha256' | 'tokens' | 'empty' | 'cut'>> {
    const { folder, index, firstRow, rows, format } = this.place;
    const name = shardName(index);
    const base = join(folder, name);
    const file = `${name}.${format}`;
    await this.data.sync();
    await this.ids?.sync();
    await this.close();
    if (format === 'parquet') {
      return { ...(await this.asParquet(base, file)), file, firstRow, rows, ids: null };
    }
    if (this.ids) await moveTo(`${base}.ids.part`, `${base}.ids.jsonl`);
    await moveTo(`${base}.part`, join(folder, file));
    const { size: bytes } = await stat(join(folder, file));
    const ids = this.ids && { file: `${name}.ids.jsonl`, sha256: this.idsHash.digest('hex') };
    return { file, firstRow, rows, bytes, sha256: this.hash.digest('hex'), ids };
  }

  async close(): Promise<void> {
    await this.data.close();
    await this.ids?.close();
  }

  private async asParquet(base: string, file: string) {
    const { folder, firstRow, rows, dimensions } = this.place;
    const ids = this.ids ? `${base}.ids.part` : null;
    const path = join(folder, file);
    await writeParquet({ part: `${base}.part`, ids, firstRow, rows, dimensions }, `${path}.tmp`);
    await moveTo(`${path}.tmp`, path);
    await rm(`${base}.part`);
    await rm(`${base}.ids.part`, { force: true });
    return { bytes: (await stat(path)).size, sha256: await fileDigest(path) };
  }

  private async put(bytes: Uint8Array): Promise<void> {
    this.hash.update(bytes);
    await this.data.appendFile(bytes);
  }
}

import { mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { EmbedError, diskFault } from '../errors';
import { syncFolder } from '../output/files';
import { FolderLock } from '../output/lock';
import { writeManifest } from '../output/manifest';
import type { Manifest, OutputFormat, ShardRecord } from '../output/manifest';
import { readShard } from '../output/reading';
import type { Vectors } from '../output/reading';
import { SequentialShard } from '../output/sequential';
import { partsIn } from './parts';
import type { FoundPart } from './parts';

interface MergeOrder {
  readonly folders: readonly string[];
  readonly out: string;
  /** The default is the parts' format. */
  readonly format?: OutputFormat | undefined;
  /** The default is a single file. */
  readonly rowsPerShard?: number | undefined;
  readonly progress: (rows: number, of: number) => void;
}

/**
 * Merges parts in order and in chunks, with bounded memory. Each part is checked against its checksums on the way.
 * The folder appears only when it is complete; leftovers of a killed merge are discarded.
 */
export async function merge(order: MergeOrder): Promise<Manifest> {
  const parts = await partsIn(order.folders);
  await checkFree(order.out);
  const working = `${resolve(order.out)}.merging`;
  try {
    await mkdir(working, { recursive: true });
    const lock = await FolderLock.take(working);
    try {
      await emptied(working);
      const manifest = await merged(order, parts, working);
      await lock.release();
      await rename(working, order.out);
      await syncFolder(dirname(resolve(order.out)));
      return manifest;
    } finally {
      await lock.release();
    }
  } catch (error) {
    throw diskFault(order.out, error);
  }
}

/** An empty folder may be replaced. */
async function checkFree(out: string): Promise<void> {
  const exists = await stat(out).then(
    () => true,
    () => false,
  );
  if (!exists) return;
  const isEmpty = await readdir(out).then(
    names => names.length === 0,
    () => false,
  );
  if (!isEmpty) throw new EmbedError('bad-output', `${out} already exists; choose a new folder.`);
  await rmdir(out);
}

async function emptied(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name !== 'lock.json') await rm(join(folder, name), { recursive: true, force: true });
  }
}

async function merged(order: MergeOrder, parts: readonly FoundPart[], folder: string): Promise<Manifest> {
  const [first] = parts;
  if (!first) throw new EmbedError('bad-output', 'Nothing to merge.');
  const rows = parts.reduce((sum, { manifest }) => sum + (manifest.rows ?? 0), 0);
  const writer = new MergeWriter({
    folder,
    rows,
    rowsPerShard: order.rowsPerShard ?? rows,
    dimensions: first.manifest.dimensions ?? 0,
    format: order.format ?? first.manifest.format,
    hasIds: first.manifest.input.id !== null,
  });
  try {
    for await (const vectors of inOrder(parts)) {
      await writer.add(vectors);
      order.progress(writer.rows, rows);
    }
  } catch (error) {
    await writer.close();
    throw error;
  }
  const manifest: Manifest = {
    ...first.manifest,
    state: 'complete',
    format: order.format ?? first.manifest.format,
    rowsPerShard: order.rowsPerShard ?? rows,
    part: { index: 0, of: 1 },
    firstRow: 0,
    rows,
    shards: withCounts(writer.shards, parts),
  };
  await writeManifest(folder, manifest);
  return manifest;
}

async function* inOrder(parts: readonly FoundPart[]): AsyncGenerator<Vectors> {
  for (const { folder, manifest } of parts) {
    for (const shard of manifest.shards) yield* readShard(folder, manifest, shard);
  }
}

type BareShard = Omit<ShardRecord, 'textsSha256' | 'tokens' | 'empty' | 'cut'>;

/** Counts of all parts become those of one file that holds them all. */
function withCounts(shards: readonly BareShard[], parts: readonly FoundPart[]): ShardRecord[] {
  const all = parts.flatMap(({ manifest }) => manifest.shards);
  const sum = (name: 'tokens' | 'empty' | 'cut'): number | null =>
    shards.length > 1 || all.some(shard => shard[name] === null)
      ? null
      : all.reduce((total, shard) => total + (shard[name] ?? 0), 0);
  return shards.map(shard => ({
    ...shard,
    textsSha256: null,
    tokens: sum('tokens'),
    empty: sum('empty'),
    cut: sum('cut'),
  }));
}

interface MergePlace {
  readonly folder: string;
  readonly rows: number;
  readonly rowsPerShard: number;
  readonly dimensions: number;
  readonly format: OutputFormat;
  readonly hasIds: boolean;
}

/** Splits sequential rows into files. */
class MergeWriter {
  readonly shards: BareShard[] = [];
  rows = 0;
  private current: SequentialShard | null = null;

  constructor(private readonly place: MergePlace) {}

  async add({ values, rows, ids }: Vectors): Promise<void> {
    const { dimensions } = this.place;
    for (let from = 0; from < rows;) {
      const shard = (this.current ??= await this.next());
      const count = Math.min(shard.room, rows - from);
      const part = values.subarray(from * dimensions, (from + count) * dimensions);
      await shard.add(part, ids?.slice(from, from + count) ?? null);
      from += count;
      this.rows += count;
      if (shard.room > 0) continue;
      this.shards.push(await shard.finish());
      this.current = null;
    }
  }

  async close(): Promise<void> {
    await this.current?.close();
  }

  private next(): Promise<SequentialShard> {
    const { rows, rowsPerShard, ...place } = this.place;
    const left = rows - this.rows;
    return SequentialShard.open({
      ...place,
      index: this.shards.length,
      firstRow: this.rows,
      rows: Math.min(rowsPerShard, left),
    });
  }
}

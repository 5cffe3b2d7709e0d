import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { existsSync, readSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { boundedText } from '../../files/bounded';
import { diskFault, EmbedError } from '../errors';
import { fileDigest } from '../folder/modelFolder';
import type { Row } from '../input/rows';
import { moveTo, replaceSynced, writeAll } from './files';
import { HEADER_BYTES, npyHeader, safetensorsHeader } from './headers';
import { lineOf, parseJournal } from './journal';
import type { JournalEntry, JournalHead } from './journal';
import type { OutputFormat, ShardRecord } from './manifest';
import { writeParquet } from './parquetShard';

/** Updates a shard's digest of its texts; lengths separate them. */
export function addTexts(hash: Hash, rows: readonly Row[]): void {
  for (const { text } of rows) hash.update(`${Buffer.byteLength(text)}\n${text}\n`);
}

const FLOAT_BYTES = 4;
/** A line of some 100 bytes for each batch of a shard. */
const MOST_JOURNAL_BYTES = 256 * 1024 * 1024;

export interface ShardPlace {
  readonly folder: string;
  readonly index: number;
  /** In the whole input. */
  readonly firstRow: number;
  /** The maximum; fewer if the input ends. */
  readonly rows: number;
  readonly format: OutputFormat;
  readonly hasIds: boolean;
}

/** Batch counts that are stored in the journal with its rows. */
export type BatchCounts = Pick<JournalEntry, 'tokens' | 'empty' | 'cut'>;

const ENDING: Readonly<Record<OutputFormat, string>> = {
  npy: 'npy',
  safetensors: 'safetensors',
  parquet: 'parquet',
};

/** The endings of a shard's temporary files. */
const TEMPORARY = ['journal', 'part', 'ids.part'];

async function cleanShard(base: string): Promise<void> {
  for (const ending of TEMPORARY) await rm(`${base}.${ending}`, { force: true });
}

/** Removes temporary files of complete shards: a process can be killed before it removes them itself. */
export async function cleanComplete(
  folder: string,
  shards: readonly Pick<ShardRecord, 'file'>[],
): Promise<void> {
  for (const { file } of shards) await cleanShard(join(folder, file.slice(0, file.indexOf('.'))));
}

export const shardName = (index: number): string => `shard-${String(index).padStart(5, '0')}`;

/**
 * A file of vectors being written. Batches arrive in any order and are written at their rows' positions; a journal
 * line records each. After a crash, only journal lines whose vectors are really in the file count; everything else
 * is repeated.
 */
export class OpenShard {
  private readonly done: Uint8Array;
  private readonly texts: Hash = createHash('sha256');
  private readonly base: string;
  private entries: JournalEntry[] = [];
  private data: FileHandle | null = null;
  private journal: FileHandle | null = null;
  private ids: FileHandle | null = null;
  private idsAt = 0;
  private journalAt = 0;
  private dimensions = 0;
  private taken = 0;
  private finished = 0;
  private begun: Promise<void> | null = null;
  private syncing: Promise<void> | null = null;
  private isDirty = false;

  private constructor(private readonly place: ShardPlace) {
    this.done = new Uint8Array(place.rows);
    this.base = join(place.folder, shardName(place.index));
  }

  /** Opens a shard with the results of an earlier run. */
  static async open(place: ShardPlace): Promise<OpenShard> {
    const shard = new OpenShard(place);
    try {
      await shard.restore();
      if (place.hasIds) shard.ids = await open(`${shard.base}.ids.part`, 'w');
      return shard;
    } catch (error) {
      await shard.close();
      throw diskFault(place.folder, error);
    }
  }

  get firstRow(): number {
    return this.place.firstRow;
  }

  /** Rows that can still be added. */
  get room(): number {
    return this.place.rows - this.taken;
  }

  /** Rows with vectors. */
  get rowsDone(): number {
    return this.finished;
  }

  isDone(row: number): boolean {
    return this.done[row] === 1;
  }

  /** Adds the next rows of the input; returns the index of the first. */
  take(rows: readonly Row[]): number {
    const first = this.taken;
    this.taken += rows.length;
    addTexts(this.texts, rows);
    if (this.ids) {
      const lines = Buffer.from(rows.map(({ id }) => `${JSON.stringify(id)}\n`).join(''));
      this.guarded(() => writeAll(this.ids?.fd ?? -1, lines, this.idsAt));
      this.idsAt += lines.length;
    }
    return first;
  }

  /** Writes a batch's vectors at their positions. */
  async write(rows: readonly number[], vectors: Float32Array, counts: BatchCounts): Promise<void> {
    const dimensions = vectors.length / rows.length;
    await (this.begun ??= this.begin(dimensions));
    const bytes = new Uint8Array(vectors.buffer, vectors.byteOffset, vectors.byteLength);
    const size = dimensions * FLOAT_BYTES;
    const line = Buffer.from(lineOf({ rows, crc: crc32(bytes), ...counts }));
    this.guarded(() => {
      for (const [i, row] of rows.entries()) {
        writeAll(this.data?.fd ?? -1, bytes.subarray(i * size, (i + 1) * size), this.offsetOf(row));
      }
      writeAll(this.journal?.fd ?? -1, line, this.journalAt);
    });
    this.journalAt += line.length;
    this.mark({ rows, crc: 0, ...counts });
    this.sync();
  }

  /** Whether every row that was added has its vector. */
  get isWhole(): boolean {
    return this.finished === this.taken;
  }

  /** Nothing was added: the input ended with the previous shard. */
  get isEmpty(): boolean {
    return this.taken === 0;
  }

  /** Components of a vector. */
  get size(): number {
    return this.dimensions;
  }

  /** Completes the file: no more rows will come. */
  async finish(): Promise<ShardRecord> {
    try {
      return await this.completed();
    } catch (error) {
      throw diskFault(this.place.folder, error);
    } finally {
      await this.close();
    }
  }

  /** Syncs everything to disk and closes the files; the shard stays open for a later run. */
  async pause(): Promise<void> {
    this.sync();
    await this.syncing;
    await this.close();
  }

  /** Removes a shard's temporary files once its record is in the manifest. */
  clean(): Promise<void> {
    return cleanShard(this.base);
  }

  private async completed(): Promise<ShardRecord> {
    await this.syncing;
    const { firstRow, format, hasIds } = this.place;
    const rows = this.taken;
    const file = `${shardName(this.place.index)}.${ENDING[format]}`;
    const path = join(this.place.folder, file);
    const idsPart = `${this.base}.ids.part`;
    if (this.ids) await this.ids.sync();
    if (format === 'parquet') {
      const source = {
        part: `${this.base}.part`,
        ids: hasIds ? idsPart : null,
        firstRow,
        rows,
        dimensions: this.dimensions,
      };
      await writeParquet(source, `${path}.tmp`);
      await moveTo(`${path}.tmp`, path);
    } else {
      const header = (format === 'npy' ? npyHeader : safetensorsHeader)(rows, this.dimensions);
      writeAll(this.data?.fd ?? -1, header, 0);
      await this.data?.truncate(this.offsetOf(rows));
      await this.data?.sync();
    }
    const sha256 = await fileDigest(format === 'parquet' ? path : `${this.base}.part`);
    const ids = await this.completedIds(idsPart);
    if (format !== 'parquet') await moveTo(`${this.base}.part`, path);
    const { size: bytes } = await stat(path);
    return {
      file,
      firstRow,
      rows,
      bytes,
      sha256,
      ids,
      textsSha256: this.texts.digest('hex'),
      ...this.counts(),
    };
  }

  /** A Parquet file contains the ids. */
  private async completedIds(part: string): Promise<ShardRecord['ids']> {
    if (!this.place.hasIds) return null;
    if (this.place.format === 'parquet') {
      await rm(part, { force: true });
      return null;
    }
    const sha256 = await fileDigest(part);
    await moveTo(part, `${this.base}.ids.jsonl`);
    return { file: `${shardName(this.place.index)}.ids.jsonl`, sha256 };
  }

  private counts(): BatchCounts {
    const sum = (name: keyof BatchCounts): number => this.entries.reduce((all, each) => all + each[name], 0);
    return { tokens: sum('tokens'), empty: sum('empty'), cut: sum('cut') };
  }

  private mark(entry: JournalEntry): void {
    this.entries.push({ ...entry, rows: [] });
    for (const row of entry.rows) this.done[row] = 1;
    this.finished += entry.rows.length;
  }

  private offsetOf(row: number): number {
    const header = this.place.format === 'parquet' ? 0 : HEADER_BYTES;
    return header + row * this.dimensions * FLOAT_BYTES;
  }

  private async begin(dimensions: number): Promise<void> {
    this.dimensions = dimensions;
    const head: JournalHead = { firstRow: this.place.firstRow, dimensions };
    const line = Buffer.from(lineOf(head));
    try {
      this.data = await open(`${this.base}.part`, 'w+');
      this.journal = await open(`${this.base}.journal`, 'w');
    } catch (error) {
      throw diskFault(this.place.folder, error);
    }
    this.guarded(() => writeAll(this.journal?.fd ?? -1, line, 0));
    this.journalAt = line.length;
  }

  /** One sync at a time, concurrent with the work: later writes are included in the next one. */
  private sync(): void {
    this.isDirty = true;
    this.syncing ??= this.syncAll().finally(() => (this.syncing = null));
  }

  private async syncAll(): Promise<void> {
    try {
      while (this.isDirty) {
        this.isDirty = false;
        await this.data?.datasync();
        await this.journal?.datasync();
      }
    } catch (error) {
      throw diskFault(this.place.folder, error);
    }
  }

  private guarded(write: () => void): void {
    try {
      write();
    } catch (error) {
      throw diskFault(this.place.folder, error);
    }
  }

  private async close(): Promise<void> {
    const handles = [this.data, this.journal, this.ids];
    this.data = this.journal = this.ids = null;
    for (const handle of handles) await handle?.close().catch(() => undefined);
  }

  private async restore(): Promise<void> {
    const part = `${this.base}.part`;
    const path = `${this.base}.journal`;
    const journal = parseJournal((await boundedText(path, MOST_JOURNAL_BYTES)) ?? '');
    if (journal?.head.firstRow !== this.place.firstRow) return;
    const complete = `${this.base}.${ENDING[this.place.format]}`;
    // The earlier run ended between completing the file and writing the manifest.
    if (!existsSync(part) && this.place.format !== 'parquet' && existsSync(complete)) {
      await rename(complete, part);
    }
    if (!existsSync(part)) return;
    this.dimensions = journal.head.dimensions;
    this.data = await open(part, 'r+');
    const good = journal.entries.filter(entry => this.isWritten(entry));
    for (const entry of good) this.mark(entry);
    const text = lineOf(journal.head) + good.map(lineOf).join('');
    await replaceSynced(path, text);
    this.journal = await open(path, 'r+');
    this.begun = Promise.resolve();
    this.journalAt = Buffer.byteLength(text);
  }

  private isWritten({ rows, crc }: JournalEntry): boolean {
    const size = this.dimensions * FLOAT_BYTES;
    const bytes = Buffer.alloc(rows.length * size);
    for (const [i, row] of rows.entries()) {
      if (row >= this.place.rows || this.done[row] === 1) return false;
      const got = readSync(this.data?.fd ?? -1, bytes, i * size, size, this.offsetOf(row));
      if (got < size) return false;
    }
    return crc32(bytes) === crc;
  }
}

/** Refuses to start if the vectors do not fit on the disk. */
export function checkRoom(folder: string, freeBytes: number, neededBytes: number): void {
  if (neededBytes <= freeBytes) return;
  const mb = (bytes: number): string => (bytes / 1e6).toFixed(0);
  throw new EmbedError(
    'disk',
    `${folder}: the vectors need ${mb(neededBytes)} MB, and ${mb(freeBytes)} MB are free. Make room, or name another folder.`,
  );
}

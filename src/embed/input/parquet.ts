import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import type { AsyncBuffer, FileMetaData } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { whyNotRegular } from '../../files/bounded';
import { EmbedError } from '../errors';
import type { RawRecord, RecordSource } from './records';

/** A row group is held in memory as a whole; writers usually limit them to 128 MB. */
const LARGEST_GROUP = 2 ** 30;

/** A Parquet file, read one row group at a time. */
export class ParquetRecords implements RecordSource {
  readonly unit = 'row';
  /** Columns to read; null: all. */
  columns: readonly string[] | null = null;

  private constructor(
    readonly name: string,
    private readonly file: AsyncBuffer,
    private readonly metadata: FileMetaData,
  ) {}

  static async open(path: string): Promise<ParquetRecords> {
    try {
      if ((await whyNotRegular(path)) !== null) throw new Error('it is not a regular file');
      const file = await asyncBufferFromFile(path);
      return new ParquetRecords(path, file, await parquetMetadataAsync(file));
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const why =
        code === 'ENOENT' ? 'no such file; check the path' : `it is not a complete Parquet file (${message})`;
      throw new EmbedError('bad-input', `${path}: ${why}.`);
    }
  }

  /** Names of the top-level columns. */
  names(): readonly string[] {
    const [root, ...rest] = this.metadata.schema;
    const top: string[] = [];
    for (let i = 0, left = root?.num_children ?? 0; left > 0 && i < rest.length; left--) {
      top.push(rest[i]?.name ?? '');
      i += this.size(i + 1);
    }
    return top;
  }

  /** The number of schema entries of an element and its children. */
  private size(at: number): number {
    let size = 1;
    for (let child = 0; child < (this.metadata.schema[at]?.num_children ?? 0); child++) {
      size += this.size(at + size);
    }
    return size;
  }

  count(): Promise<number> {
    return Promise.resolve(Number(this.metadata.num_rows));
  }

  async *from(first: number): AsyncIterable<readonly RawRecord[]> {
    let start = 0;
    for (const group of this.metadata.row_groups) {
      const end = start + Number(group.num_rows);
      if (end > first && end > start) {
        this.checkSize(group.total_byte_size, start);
        yield await this.rows(Math.max(start, first), end);
      }
      start = end;
    }
  }

  private checkSize(bytes: bigint, row: number): void {
    if (bytes <= LARGEST_GROUP) return;
    throw new EmbedError(
      'bad-input',
      `${this.name}: the row group at row ${row + 1} has more than 1 GiB. Write the file again with smaller row groups.`,
    );
  }

  private async rows(rowStart: number, rowEnd: number): Promise<readonly RawRecord[]> {
    const columns = this.columns ?? this.names();
    try {
      const { file, metadata } = this;
      const rows = await parquetReadObjects({
        file,
        metadata,
        columns: [...columns],
        rowStart,
        rowEnd,
        compressors,
      });
      return rows.map((fields, i) => ({ line: rowStart + i + 1, fields }));
    } catch (error) {
      throw new EmbedError(
        'bad-input',
        `${this.name}: rows from ${rowStart + 1} on cannot be read (${error instanceof Error ? error.message : 'they are damaged'}).`,
      );
    }
  }
}

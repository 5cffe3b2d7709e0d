import { createReadStream, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { linesOf } from '../input/lines';
import { readAt } from './files';

/**
 * `schema(id: utf8 not null, embedding: fixed_size_list<float32 not null>[384])` as Arrow writes it (pyarrow 22,
 * Schema.serialize()): Arrow readers then create vectors of a fixed length, for which Parquet has no type.
 */
const OF_384 =
  '/////+AAAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAMAAAACAAIAAAABAAIAAAABAAAAAIAAACEAAAABAAAAJT///8AAAAQFAAAACQAAAAEAAAAAQAAACAAAAAJAAAAZW1iZWRkaW5nAAYACAAEAAYAAACAAQAAzP///wAAAAMQAAAAIAAAAAQAAAAAAAAABwAAAGVsZW1lbnQAAAAGAAgABgAGAAAAAAABABAAFAAIAAAABwAMAAAAEAAQAAAAAAAABRAAAAAYAAAABAAAAAAAAAACAAAAaWQAAAQABAAEAAAAAAAAAA==';

/** The offset of the list's length in it. */
const LENGTH_AT = 116;

/** The value of a Parquet file's `ARROW:schema` for vectors of a given length. */
function arrowSchema(dimensions: number): string {
  const bytes = Buffer.from(OF_384, 'base64');
  bytes.writeInt32LE(dimensions, LENGTH_AT);
  return bytes.toString('base64');
}

interface ParquetSource {
  /** The file of consecutive vectors. */
  readonly part: string;
  /** The ids, one JSON string per line; null: rows are numbered. */
  readonly ids: string | null;
  readonly firstRow: number;
  readonly rows: number;
  readonly dimensions: number;
}

/** Rows per row group: some MB, which readers load at a time. */
const GROUP = 4096;

const SCHEMA: SchemaElement[] = [
  { name: 'root', num_children: 2 },
  { name: 'id', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
  { name: 'embedding', converted_type: 'LIST', repetition_type: 'REQUIRED', num_children: 1 },
  { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  { name: 'element', type: 'FLOAT', repetition_type: 'REQUIRED' },
];

/** Writes vectors and ids as a Parquet file, one row group at a time, and syncs it to disk. */
export async function writeParquet(source: ParquetSource, path: string): Promise<void> {
  const { part, firstRow, rows, dimensions } = source;
  const vectors = await open(part, 'r');
  const target = await open(path, 'w');
  const ids = idsOf(source);
  try {
    const writer = new ParquetWriter({
      writer: fileWriter(target.fd),
      schema: SCHEMA,
      codec: 'UNCOMPRESSED',
      statistics: false,
      kvMetadata: [{ key: 'ARROW:schema', value: arrowSchema(dimensions) }],
      createdBy: 'headroom',
    });
    const size = dimensions * Float32Array.BYTES_PER_ELEMENT;
    for (let first = 0; first < rows; first += GROUP) {
      const count = Math.min(GROUP, rows - first);
      const bytes = await readAt(vectors, first * size, count * size);
      const values = new Float32Array(new Uint8Array(bytes).buffer);
      const embedding = Array.from({ length: count }, (_, i) =>
        values.subarray(i * dimensions, (i + 1) * dimensions),
      );
      const id = await ids.next(count, firstRow + first);
      await writer.write({
        columnData: [
          { name: 'id', data: id, encoding: 'PLAIN' },
          { name: 'embedding', data: embedding.map(vector => Array.from(vector)), encoding: 'PLAIN' },
        ],
        rowGroupSize: GROUP,
      });
    }
    await writer.finish();
    await target.sync();
  } finally {
    await ids.close();
    await vectors.close();
    await target.close();
  }
}

/** Reads ids in order, in chunks. */
function idsOf({ ids }: ParquetSource) {
  if (ids === null) {
    return {
      next: (count: number, first: number) =>
        Promise.resolve(Array.from({ length: count }, (_, i) => String(first + i))),
      close: () => Promise.resolve(),
    };
  }
  const lines = linesOf(createReadStream(ids), ids)[Symbol.asyncIterator]();
  let ahead: string[] = [];
  return {
    async next(count: number): Promise<string[]> {
      while (ahead.length < count) {
        const more = await lines.next();
        if (more.done) break;
        ahead = ahead.concat(more.value.lines.map(line => JSON.parse(line) as string));
      }
      const some = ahead.slice(0, count);
      ahead = ahead.slice(count);
      return some;
    },
    close: async (): Promise<void> => {
      await lines.return?.();
    },
  };
}

/** Writes bytes to the file after each row group. */
function fileWriter(fd: number): ByteWriter {
  const writer = new ByteWriter();
  const empty = (): void => {
    const bytes = new Uint8Array(writer.buffer, 0, writer.index);
    for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
    writer.index = 0;
  };
  return Object.assign(writer, { flush: empty, finish: empty });
}

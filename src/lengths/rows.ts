import type { DatasetRef } from '../core/spec/dataset';
import { isRowColumn } from '../core/lengths/rowText';
import { EmbedError } from '../embed/errors';
import { formatOf, openRecords } from '../embed/input/open';
import { ParquetRecords } from '../embed/input/parquet';
import type { RawRecord } from '../embed/input/records';
import type { Signal } from '../core/signal';

/**
 * Records of a file, in chunks, until the caller stops. Other columns of Parquet are not read, because pictures are
 * large.
 */
export async function* recordsIn(
  path: string,
  { columns }: DatasetRef,
  signal: Signal,
): AsyncIterable<readonly RawRecord[]> {
  const format = formatOf(path);
  if (format === null) {
    throw new EmbedError(
      'bad-input',
      `${path}: unknown file format (expected jsonl, json, csv, tsv, txt or parquet)`,
    );
  }
  const source = await openRecords(path, format);
  if (source instanceof ParquetRecords) {
    const wanted = source.names().filter(name => isRowColumn(name, columns));
    source.columns = wanted.length > 0 ? wanted : null;
  }
  for await (const records of source.from(0)) {
    if (signal.aborted) return;
    yield records;
  }
}

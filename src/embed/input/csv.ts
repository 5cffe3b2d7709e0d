import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { EmbedError } from '../errors';
import type { RawRecord } from './records';

const AT_ONCE = 1000;

interface Parsed {
  readonly info: { readonly lines: number };
  readonly record: Readonly<Record<string, string>>;
}

/** Records of a table with column names in its first line (RFC 4180). */
export async function* csvRecords(
  stream: AsyncIterable<Uint8Array>,
  name: string,
  delimiter: string,
): AsyncIterable<readonly RawRecord[]> {
  const parser = parse({ columns: true, bom: true, skip_empty_lines: true, info: true, delimiter });
  const source = Readable.from(stream, { objectMode: false });
  source.on('error', error => parser.destroy(error));
  let some: RawRecord[] = [];
  try {
    for await (const { info, record } of source.pipe(parser) as AsyncIterable<Parsed>) {
      some.push({ line: info.lines, fields: record });
      if (some.length < AT_ONCE) continue;
      yield some;
      some = [];
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new EmbedError(
      'bad-input',
      `${name}: ${error.message}. Each line needs a value per column, with quotes around commas and line breaks.`,
    );
  }
  if (some.length > 0) yield some;
}

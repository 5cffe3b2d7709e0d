import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { regularStream } from '../../files/bounded';
import type { NotRegular } from '../../files/bounded';
import { EmbedError } from '../errors';
import { linesOf } from './lines';
import { beginsList, entriesOf } from './list';
import { ParquetRecords } from './parquet';
import type { RawRecord, RecordSource } from './records';
import { CsvError, parse } from 'csv-parse';

const AT_ONCE = 1000;

interface Parsed {
  readonly info: { readonly lines: number };
  readonly record: Readonly<Record<string, string>>;
}

/** Records of a table with column names in its first line (RFC 4180). */
async function* csvRecords(
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

const FORMATS = ['jsonl', 'csv', 'tsv', 'txt', 'parquet'] as const;

export type InputFormat = (typeof FORMATS)[number];

const ENDINGS: Readonly<Record<string, InputFormat>> = {
  jsonl: 'jsonl',
  ndjson: 'jsonl',
  json: 'jsonl',
  csv: 'csv',
  tsv: 'tsv',
  txt: 'txt',
  text: 'txt',
  parquet: 'parquet',
};

const PIECE = 1 << 20;

/** The format by a file's extension, ignoring `.gz`; null if it is unknown. */
export function formatOf(path: string): InputFormat | null {
  const ending = path.replace(/\.gz$/i, '').split('.').at(-1)?.toLowerCase() ?? '';
  return ENDINGS[ending] ?? null;
}

/** `-` means stdin. */
export const STDIN = '-';

/** Opens an input file, or stdin, as records. */
export async function openRecords(path: string, format: InputFormat): Promise<RecordSource> {
  if (format === 'parquet') {
    if (path === STDIN) {
      throw new EmbedError('usage', 'Parquet cannot be piped in: its directory is at the end; name a file.');
    }
    return ParquetRecords.open(path);
  }
  return new StreamRecords(path, format);
}

type Parse = (stream: AsyncIterable<Uint8Array>, name: string) => AsyncIterable<readonly RawRecord[]>;

const PARSERS: Readonly<Record<Exclude<InputFormat, 'parquet'>, Parse>> = {
  jsonl: jsonRecords,
  txt: textRecords,
  csv: (stream, name) => csvRecords(stream, name, ','),
  tsv: (stream, name) => csvRecords(stream, name, '\t'),
};

class StreamRecords implements RecordSource {
  readonly unit = 'line';

  constructor(
    private readonly path: string,
    private readonly format: Exclude<InputFormat, 'parquet'>,
  ) {}

  get name(): string {
    return this.path === STDIN ? 'stdin' : this.path;
  }

  count(): Promise<null> {
    return Promise.resolve(null);
  }

  async *from(first: number): AsyncIterable<readonly RawRecord[]> {
    let skip = first;
    for await (const records of PARSERS[this.format](bytesOf(this.path), this.name)) {
      if (skip >= records.length) skip -= records.length;
      else {
        yield skip > 0 ? records.slice(skip) : records;
        skip = 0;
      }
    }
  }
}

async function* bytesOf(path: string): AsyncIterable<Uint8Array> {
  const file = path === STDIN ? process.stdin : await fileOf(path);
  const isPacked = /\.gz$/i.test(path);
  const stream = isPacked ? file.pipe(createGunzip({ chunkSize: PIECE })) : file;
  if (isPacked) file.on('error', error => stream.destroy(error));
  try {
    yield* stream as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw new EmbedError('bad-input', `${path}: ${readFault(error)}`);
  } finally {
    file.destroy();
  }
}

async function fileOf(path: string): Promise<Readable> {
  const opened = await regularStream(path, PIECE).catch((error: unknown) => {
    throw new EmbedError('bad-input', `${path}: ${readFault(error)}`);
  });
  if (!('why' in opened)) return opened;
  throw new EmbedError('bad-input', `${path}: ${irregular(opened.why)}`);
}

/** An input is read more than once: what a pipe gives is gone after the first time. */
const irregular = (why: NotRegular): string =>
  why === 'directory'
    ? READ_FAULTS.EISDIR
    : 'this is a pipe or a device; name a regular file, or pipe the texts in (-).';

const READ_FAULTS = {
  ENOENT: 'no such file; check the path.',
  EISDIR: 'this is a folder; name a file of texts.',
  EACCES: 'the file is not readable; change its permissions.',
} as const;

function readFault(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return (
    (READ_FAULTS as Readonly<Record<string, string>>)[code] ?? `it cannot be read to its end (${message}).`
  );
}

async function* jsonRecords(
  stream: AsyncIterable<Uint8Array>,
  name: string,
): AsyncIterable<readonly RawRecord[]> {
  const pieces = stream[Symbol.asyncIterator]();
  const first = await pieces.next();
  const whole = resumed(first, pieces);
  yield* first.done !== true && beginsList(first.value) ? listRecords(whole, name) : lineRecords(whole, name);
}

/** A stream after one of its pieces was read. */
async function* resumed(
  first: IteratorResult<Uint8Array, unknown>,
  rest: AsyncIterator<Uint8Array>,
): AsyncIterable<Uint8Array> {
  try {
    for (let piece = first; piece.done !== true; piece = await rest.next()) yield piece.value;
  } finally {
    await rest.return?.();
  }
}

/** A list of records, as `json.dump` writes it. Records are counted from 1, like lines. */
async function* listRecords(
  stream: AsyncIterable<Uint8Array>,
  name: string,
): AsyncIterable<readonly RawRecord[]> {
  let number = 1;
  for await (const entries of entriesOf(stream, name)) {
    const from = number;
    number += entries.length;
    yield entries.map((text, i) => jsonRecord(text, from + i, name));
  }
}

async function* lineRecords(
  stream: AsyncIterable<Uint8Array>,
  name: string,
): AsyncIterable<readonly RawRecord[]> {
  for await (const { first, lines } of linesOf(stream, name)) {
    yield lines.flatMap((text, i) => (text.trim() === '' ? [] : [jsonRecord(text, first + i, name)]));
  }
}

function jsonRecord(text: string, line: number, name: string): RawRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new EmbedError(
      'bad-input',
      `${name}:${line}: the line is not JSON; each line has to be an object such as {"text": "…"}.`,
    );
  }
  if (typeof value === 'string') return { line, fields: { text: value } };
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return { line, fields: value as Record<string, unknown> };
  }
  throw new EmbedError(
    'bad-input',
    `${name}:${line}: the line holds no object; each line has to be one such as {"text": "…"}.`,
  );
}

async function* textRecords(
  stream: AsyncIterable<Uint8Array>,
  name: string,
): AsyncIterable<readonly RawRecord[]> {
  for await (const { first, lines } of linesOf(stream, name)) {
    yield lines.map((text, i) => ({ line: first + i, fields: { text } }));
  }
}

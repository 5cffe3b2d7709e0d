import { EmbedError } from '../errors';
import { fileDigest } from '../folder/modelFolder';
import { openRecords, STDIN } from './open';
import type { InputFormat } from './open';
import { ParquetRecords } from './parquet';
import type { RawRecord, RecordSource } from './records';

/** A text to embed. */
export interface Row {
  /** From its column; null: its number is used. */
  readonly id: string | null;
  readonly text: string;
}

/** The fields of a record that are used. */
interface Columns {
  /** Several are joined by line breaks. */
  readonly text: readonly string[];
  readonly id: string | null;
}

export interface InputOptions extends Columns {
  readonly path: string;
  readonly format: InputFormat;
  /** Missing or null texts count as empty. */
  readonly emptyWhenMissing: boolean;
  /** Only this many texts from the start; absent: all. */
  readonly limit?: number | undefined;
}

/** Facts about an input before anything is embedded. */
export interface Survey {
  /** Of the whole input; null for stdin. */
  readonly rows: number | null;
  readonly sha256: string | null;
}

const USUAL_TEXT = 'text';
const USUAL_ID = 'id';

/** An input of texts, in order. */
export class Input {
  /** The total weight of all texts after a survey; null if they were not read. */
  weight: number | null = null;

  private constructor(
    private readonly options: InputOptions,
    private readonly source: RecordSource,
    readonly columns: Columns,
  ) {}

  /** Opens an input and finds its columns. Stdin must have the named columns, or `text` and no ids. */
  static async open(options: InputOptions): Promise<Input> {
    const source = await openRecords(options.path, options.format);
    const columns = options.path === STDIN ? blind(options) : await columnsIn(source, options);
    if (source instanceof ParquetRecords) {
      source.columns = [...columns.text, ...(columns.id === null ? [] : [columns.id])];
    }
    return new Input(options, source, columns);
  }

  get isPiped(): boolean {
    return this.options.path === STDIN;
  }

  get name(): string {
    return this.source.name;
  }

  /**
   * Reads everything once: the number of rows, their weight, and whether each record has a text. Parquet states the
   * number itself.
   */
  async survey(weigh: (text: string) => number = text => text.length): Promise<Survey> {
    if (this.isPiped) return { rows: null, sha256: null };
    const digest = fileDigest(this.options.path);
    // Handled where it is awaited; reading may fail before.
    digest.catch(() => undefined);
    const counted = await this.source.count();
    if (counted !== null) {
      return { rows: Math.min(counted, this.options.limit ?? counted), sha256: await digest };
    }
    let [rows, weight] = [0, 0];
    for await (const some of this.from(0)) {
      rows += some.length;
      for (const { text } of some) weight += weigh(text);
    }
    this.weight = weight;
    return { rows, sha256: await digest };
  }

  /** Rows from a number on, in chunks. */
  async *from(first: number): AsyncIterable<readonly Row[]> {
    let left = (this.options.limit ?? Infinity) - first;
    if (left <= 0) return;
    for await (const records of this.source.from(first)) {
      const taken = records.length > left ? records.slice(0, left) : records;
      left -= taken.length;
      yield taken.map(record => this.row(record));
      if (left <= 0) return;
    }
  }

  private row({ fields, line }: RawRecord): Row {
    const { text, id } = this.columns;
    const parts = text.map(name => this.part(valueAt(fields, name), name, line));
    return {
      id: id === null ? null : this.idOf(valueAt(fields, id), id, line),
      text: parts.length === 1 ? (parts[0] ?? '') : parts.join('\n'),
    };
  }

  private part(value: unknown, name: string, line: number): string {
    if (typeof value === 'string') return value;
    if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') {
      return String(value);
    }
    if ((value === undefined || value === null) && this.options.emptyWhenMissing) return '';
    const what = value === undefined ? 'is missing' : value === null ? 'is null' : 'is no text';
    throw new EmbedError(
      'bad-input',
      `${this.place(line)}: ${name} ${what}. Fix it, name another column with --text-column, or add --empty-when-missing to take missing texts as empty.`,
    );
  }

  private idOf(value: unknown, name: string, line: number): string {
    if (typeof value === 'string') return value;
    if (typeof value === 'number' || typeof value === 'bigint') return String(value);
    throw new EmbedError(
      'bad-input',
      `${this.place(line)}: ${name} is not an id; correct it, or number the rows with --no-id-column.`,
    );
  }

  private place(line: number): string {
    return this.source.unit === 'line' ? `${this.name}:${line}` : `${this.name}, row ${line}`;
  }
}

function blind({ text, id }: InputOptions): Columns {
  return { text: text.length > 0 ? text : [USUAL_TEXT], id: id === '' ? null : id };
}

/** Named columns must exist; the defaults are `text` and, if it exists, `id`. */
async function columnsIn(source: RecordSource, { text, id }: InputOptions): Promise<Columns> {
  const fields = await firstFields(source);
  const has = (name: string): boolean => valueAt(fields, name) !== undefined || name in fields;
  const wanted = text.length > 0 ? text : [USUAL_TEXT];
  const missing = [...wanted, ...(id ? [id] : [])].find(name => !has(name));
  if (missing !== undefined) {
    const known = Object.keys(fields).join(', ') || 'none';
    throw new EmbedError(
      'bad-input',
      `${source.name}: there is no column ${missing} (there are: ${known}). Name one with --text-column or --id-column.`,
    );
  }
  return { text: wanted, id: id === '' ? null : (id ?? (has(USUAL_ID) ? USUAL_ID : null)) };
}

async function firstFields(source: RecordSource): Promise<Readonly<Record<string, unknown>>> {
  if (source instanceof ParquetRecords) return Object.fromEntries(source.names().map(name => [name, null]));
  for await (const [first] of source.from(0)) if (first) return first.fields;
  throw new EmbedError('bad-input', `${source.name}: contains no text.`);
}

/** By its whole name, else as a dotted path. */
function valueAt(fields: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(fields, name) || !name.includes('.')) return fields[name];
  let value: unknown = fields;
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[part];
  }
  return value;
}

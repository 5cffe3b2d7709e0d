/** One record of an input, unchanged. */
export interface RawRecord {
  /** Line or row in the file, from 1. */
  readonly line: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * An input of any format. Records come in chunks, because handling them one at a time would cost more than reading
 * them.
 */
export interface RecordSource {
  /** Its name in messages. */
  readonly name: string;
  /** What a record is called: a line, a row. */
  readonly unit: 'line' | 'row';
  /** The number of records without reading them, if the file states it; null if they must be counted. */
  count(): Promise<number | null>;
  /** Records from this number on. */
  from(first: number): AsyncIterable<readonly RawRecord[]>;
}

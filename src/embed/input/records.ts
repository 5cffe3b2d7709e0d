/** One record of an input as it stands there. */
export interface RawRecord {
  /** Line or row in the file, from 1. */
  readonly line: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** An input of some format. Records come in pieces: one at a time would cost more than reading them. */
export interface RecordSource {
  /** What the sentences call it. */
  readonly name: string;
  /** What one record is called there: a line, a row. */
  readonly unit: 'line' | 'row';
  /** Records without their content, where the file says it; null where they have to be counted. */
  count(): Promise<number | null>;
  /** Records from a number on. */
  from(first: number): AsyncIterable<readonly RawRecord[]>;
}

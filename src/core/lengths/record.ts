import { meanOf } from './counts';
import type { Bins } from './counts';

/** A file at the time it was counted. */
export interface CountedFile {
  readonly path: string;
  readonly bytes: number;
  readonly modifiedMs: number;
}

/** The result of the tokenizer's own chat template on the conversations. */
export interface TemplateUse {
  readonly rendered: number;
  /** Conversations that the template rejected; marks stand around their messages instead. */
  readonly refused: number;
  /** The reason of the first rejection, as the end of a sentence. */
  readonly why: string | null;
}

/** Counted lengths of the rows of a run's data: one line of `.headroom/lengths.jsonl`. */
export interface LengthRecord {
  readonly schema: 'headroom-lengths/1';
  /** ISO 8601. */
  readonly at: string;
  /** Headroom's version. */
  readonly by: string;
  /** Identifies the data, see `lengthsKey`. */
  readonly key: string;
  /** The data's name for display. */
  readonly name: string;
  readonly files: readonly CountedFile[];
  /** Sentences about data of the run that were not counted. */
  readonly left: readonly string[];
  /** The tokenizer; null: none, and lengths are bytes of UTF-8. */
  readonly tokenizer: string | null;
  /** The chat marks that were written around messages; null: none. */
  readonly marks: string | null;
  /** Absent or null: no template was used. */
  readonly template?: TemplateUse | null;
  /** Rows that were read; `counted` of them, evenly chosen, were tokenized. */
  readonly rows: number;
  readonly counted: number;
  /** Every row of the files was read. */
  readonly scanned: boolean;
  readonly bins: Bins;
  /** Tokens (or bytes) of all counted rows. */
  readonly sum: number;
  /** The longest tokenized row; the rows with the most bytes are always tokenized. */
  readonly longest: number;
  /** Bytes of the longest row that was read but not tokenized; 0: all were tokenized. */
  readonly untokenisedBytes: number;
  /** The lowest ratio of bytes per token in long rows; null without a tokenizer. */
  readonly leastBytesPerToken: number | null;
}

/** Low, expected and high, in tokens. */
interface TokenRange {
  readonly low: number;
  readonly expected: number;
  readonly high: number;
}

/**
 * Bytes of UTF-8 per token without a tokenizer: about 4 in English (OpenAI, “What are tokens and how to count
 * them?”), more in common words, 2 to 3 in code and other scripts.
 */
const BYTES_PER_TOKEN = { most: 5, usual: 4, least: 2 } as const;

/** Converts a length of the record to tokens. */
export function toTokens({ tokenizer }: Pick<LengthRecord, 'tokenizer'>, length: number): TokenRange {
  if (tokenizer !== null) return { low: length, expected: length, high: length };
  const { most, usual, least } = BYTES_PER_TOKEN;
  return {
    low: Math.ceil(length / most),
    expected: Math.ceil(length / usual),
    high: Math.ceil(length / least),
  };
}

/** True if every row was tokenized, so that no row is longer than `longest`. */
export const isWhole = ({ scanned, rows, counted, tokenizer }: LengthRecord): boolean =>
  scanned && rows === counted && tokenizer !== null;

/**
 * The longest row of the data. The bound for rows that were not tokenized is their bytes at the lowest ratio in
 * long rows; if some rows were not read, `high` is null.
 */
export function longestRow(
  record: LengthRecord,
): Omit<TokenRange, 'high'> & { readonly high: number | null } {
  const { low, expected, high } = toTokens(record, record.longest);
  if (!record.scanned) return { low, expected, high: null };
  const { untokenisedBytes, leastBytesPerToken } = record;
  const unseen = leastBytesPerToken === null ? 0 : Math.ceil(untokenisedBytes / leastBytesPerToken);
  return { low, expected, high: Math.max(high, unseen) };
}

/** Bins in tokens; converts bytes at the expected ratio. */
export function tokenBins(record: LengthRecord): Bins {
  if (record.tokenizer !== null) return record.bins;
  const merged = new Map<number, number>();
  for (const [upTo, rows] of record.bins) {
    const tokens = toTokens(record, upTo).expected;
    merged.set(tokens, (merged.get(tokens) ?? 0) + rows);
  }
  return [...merged];
}

/** Mean length in tokens. */
export function meanTokens(record: LengthRecord): number {
  if (record.counted === 0) return meanOf(tokenBins(record));
  const mean = record.sum / record.counted;
  return record.tokenizer === null ? mean / BYTES_PER_TOKEN.usual : mean;
}

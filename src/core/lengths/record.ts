import { meanOf } from './counts';
import type { Bins } from './counts';

/** A file as it was when it was counted. */
export interface CountedFile {
  readonly path: string;
  readonly bytes: number;
  readonly modifiedMs: number;
}

/** What the tokenizer's own chat template made of the conversations. */
export interface TemplateUse {
  readonly rendered: number;
  /** Those that it has not written: marks stand around their messages. */
  readonly refused: number;
  /** Of the first of them: the end of a sentence. */
  readonly why: string | null;
}

/** Lengths of the rows of a run's data, as they were counted: one line of `.headroom/lengths.jsonl`. */
export interface LengthRecord {
  readonly schema: 'headroom-lengths/1';
  /** ISO 8601. */
  readonly at: string;
  /** Headroom's version. */
  readonly by: string;
  /** What was counted, see `lengthsKey`. */
  readonly key: string;
  /** What people call the data. */
  readonly name: string;
  readonly files: readonly CountedFile[];
  /** Sentences: data of the run that were not counted. */
  readonly left: readonly string[];
  /** What tokenised the rows; null: nothing did, and lengths are bytes of UTF-8. */
  readonly tokenizer: string | null;
  /** Whose chat marks were written around messages; null: there were none. */
  readonly marks: string | null;
  /** Absent or null: no template was asked. */
  readonly template?: TemplateUse | null;
  /** Rows that were looked at; tokenised were `counted`, chosen evenly. */
  readonly rows: number;
  readonly counted: number;
  /** Every row of the files was looked at. */
  readonly scanned: boolean;
  readonly bins: Bins;
  /** Tokens (or bytes) of all that were counted. */
  readonly sum: number;
  /** Of the rows that were tokenised, those with the most bytes included. */
  readonly longest: number;
  /** Bytes of the longest row that was looked at and not tokenised; 0: all were. */
  readonly untokenisedBytes: number;
  /** The fewest bytes a token that a long row had; null without a tokenizer. */
  readonly leastBytesPerToken: number | null;
}

/** Low, expected and high, in tokens. */
export interface TokenRange {
  readonly low: number;
  readonly expected: number;
  readonly high: number;
}

/**
 * Bytes of UTF-8 that a token has, where no tokenizer says it: about 4 in English (OpenAI, “What are tokens and how to count
 * them?”), more in words that everybody uses, 2 to 3 in code and other scripts.
 */
export const BYTES_PER_TOKEN = { most: 5, usual: 4, least: 2 } as const;

/** A length of the record, in tokens. */
export function inTokens({ tokenizer }: Pick<LengthRecord, 'tokenizer'>, length: number): TokenRange {
  if (tokenizer !== null) return { low: length, expected: length, high: length };
  const { most, usual, least } = BYTES_PER_TOKEN;
  return {
    low: Math.ceil(length / most),
    expected: Math.ceil(length / usual),
    high: Math.ceil(length / least),
  };
}

/** True where every row was tokenised: nothing is longer than the longest. */
export const isWhole = ({ scanned, rows, counted, tokenizer }: LengthRecord): boolean =>
  scanned && rows === counted && tokenizer !== null;

/**
 * The longest row of the data. Rows that were only looked at have no more tokens than their bytes at the densest that
 * long rows had; rows that were not looked at may be of any length, and then `high` is null.
 */
export function longestRow(
  record: LengthRecord,
): Omit<TokenRange, 'high'> & { readonly high: number | null } {
  const { low, expected, high } = inTokens(record, record.longest);
  if (!record.scanned) return { low, expected, high: null };
  const { untokenisedBytes, leastBytesPerToken } = record;
  const unseen = leastBytesPerToken === null ? 0 : Math.ceil(untokenisedBytes / leastBytesPerToken);
  return { low, expected, high: Math.max(high, unseen) };
}

/** Bins in tokens, at the expected ratio where bytes were counted. */
export function tokenBins(record: LengthRecord): Bins {
  if (record.tokenizer !== null) return record.bins;
  const merged = new Map<number, number>();
  for (const [upTo, rows] of record.bins) {
    const tokens = inTokens(record, upTo).expected;
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

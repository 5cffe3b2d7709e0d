import { isRecord } from '../../core/text/json';

/** The first line of a journal: identifies its shard. */
export interface JournalHead {
  readonly firstRow: number;
  readonly dimensions: number;
}

/** A batch whose vectors are in the file. */
export interface JournalEntry {
  /** Rows within the shard, in the batch's order. */
  readonly rows: readonly number[];
  /** CRC-32 of their vectors in that order: after a power cut the line may be on disk without the vectors. */
  readonly crc: number;
  readonly tokens: number;
  readonly empty: number;
  readonly cut: number;
}

interface Journal {
  readonly head: JournalHead;
  readonly entries: readonly JournalEntry[];
}

export const lineOf = (value: JournalHead | JournalEntry): string => `${JSON.stringify(value)}\n`;

/** A journal's complete lines; null if even the first is incomplete. The last may be truncated. */
export function parseJournal(text: string): Journal | null {
  const lines = text.split('\n').map(parsedLine);
  const [head, ...rest] = lines;
  if (!isHead(head)) return null;
  const entries: JournalEntry[] = [];
  for (const entry of rest) if (isEntry(entry)) entries.push(entry);
  return { head, entries };
}

function parsedLine(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return null;
  }
}

const isHead = (value: unknown): value is JournalHead =>
  isRecord(value) && typeof value['firstRow'] === 'number' && typeof value['dimensions'] === 'number';

const isEntry = (value: unknown): value is JournalEntry =>
  isRecord(value) && Array.isArray(value['rows']) && typeof value['crc'] === 'number';

import type { StreamReader, ToolReading } from '../tool';
import { queriedFields } from './csv';
import type { CsvRow } from './csv';
import { readingOf, TableLines } from './tables';

/**
 * Rows of a stream, grouped into ticks: rows of one tick share their timestamp, and no device repeats. A tick is
 * complete when it has the expected number of rows, else when the next one starts. A late row completes its tick
 * again, and is expected from then on.
 */
export class GpuTableStream implements StreamReader {
  private readonly lines: TableLines;
  private gathered: CsvRow[] = [];
  /** Rows of the last complete tick. */
  private last: readonly CsvRow[] = [];

  constructor(
    args: readonly string[],
    private expected: number,
  ) {
    this.lines = new TableLines(queriedFields(args));
  }

  line(text: string, receivedMs: number): readonly ToolReading[] {
    const row = this.lines.row(text);
    if (!row) return [];
    if (this.gathered.length === 0 && belongs(row, this.last)) this.gathered = [...this.last];
    const begins = this.gathered.length > 0 && !belongs(row, this.gathered);
    const before = begins ? [this.complete(receivedMs)] : [];
    this.gathered.push(row);
    return this.gathered.length >= this.expected ? [...before, this.complete(receivedMs)] : before;
  }

  private complete(receivedMs: number): ToolReading {
    this.last = this.gathered;
    this.expected = this.gathered.length;
    this.gathered = [];
    return readingOf(this.last, receivedMs);
  }
}

/** More GPUs than any machine has: more rows are not a tick. */
const MOST_ROWS = 1024;

/** Whether a row belongs to the same tick as others: same timestamp, another device. */
function belongs(row: CsvRow, others: readonly CsvRow[]): boolean {
  const time = row.get('timestamp');
  return (
    others.length > 0 &&
    others.length < MOST_ROWS &&
    others.every(other => other.get('timestamp') === time && device(other) !== device(row))
  );
}

function device(row: CsvRow): string | undefined {
  return row.get('uuid') ?? row.get('index');
}

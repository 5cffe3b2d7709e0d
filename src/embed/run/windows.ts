import type { Row } from '../input/rows';
import type { OpenShard } from '../output/shard';

/** Texts that are sorted by length together. */
const WINDOW_ROWS = 4096;
/** Windows of long texts are smaller, because all are in memory. */
const WINDOW_CHARACTERS = 4_000_000;

/** Rows of one shard that are read together. */
export interface Window {
  readonly shard: OpenShard;
  /** The index in the shard of each row to embed. */
  readonly places: readonly number[];
  readonly texts: readonly string[];
}

interface WindowsOf {
  readonly rows: (first: number) => AsyncIterable<readonly Row[]>;
  readonly range: Range | { readonly first: number; readonly rows: null };
  readonly rowsPerShard: number;
  /** Opens a shard by number, or returns 'complete'. */
  readonly shard: (index: number, firstRow: number, rows: number) => Promise<OpenShard | 'complete'>;
  /** Called when no more rows will be added to a shard. */
  readonly sealed: (shard: OpenShard) => void;
  /** Receives reread rows of a complete shard; set only if nothing else shows whether the input is unchanged. */
  readonly passed?: ((firstRow: number, rows: readonly Row[]) => void) | undefined;
}

/** Goes through the input, shard by shard; complete shards are skipped, without reading them if possible. */
export async function* windowsOf(of: WindowsOf): AsyncGenerator<Window> {
  const reader = new RowReader(of);
  try {
    for (let index = 0; ; index++) {
      const firstRow = of.range.first + index * of.rowsPerShard;
      const left = of.range.rows === null ? Infinity : of.range.rows - index * of.rowsPerShard;
      const most = Math.min(of.rowsPerShard, left);
      if (most <= 0) break;
      const shard = await of.shard(index, firstRow, most);
      if (shard === 'complete') {
        await reader.skip(firstRow, most);
        continue;
      }
      yield* windowsIn(shard, reader);
      of.sealed(shard);
      if (reader.isAtEnd) break;
    }
  } finally {
    // A run that is stopped takes no more windows.
    await reader.close();
  }
}

async function* windowsIn(shard: OpenShard, reader: RowReader): AsyncGenerator<Window> {
  while (shard.room > 0) {
    const rows = await reader.next(Math.min(WINDOW_ROWS, shard.room));
    if (rows.length === 0) return;
    const first = shard.take(rows);
    const places = rows.flatMap((_, i) => (shard.isDone(first + i) ? [] : [first + i]));
    yield { shard, places, texts: places.map(place => rows[place - first]?.text ?? '') };
  }
}

/** Reads the requested number of rows. */
class RowReader {
  private iterator: AsyncIterator<readonly Row[]> | null = null;
  private buffer: readonly Row[] = [];
  private at: number;
  isAtEnd = false;

  constructor(private readonly of: WindowsOf) {
    this.at = of.range.first;
  }

  /** Up to `most` rows, fewer if they are long; empty at the end. */
  async next(most: number): Promise<readonly Row[]> {
    const rows: Row[] = [];
    let characters = 0;
    while (rows.length < most && characters < WINDOW_CHARACTERS) {
      if (this.buffer.length === 0 && !(await this.fill())) break;
      const taken = this.fitting(most - rows.length, WINDOW_CHARACTERS - characters);
      for (const row of taken) characters += row.text.length;
      rows.push(...taken);
      this.buffer = this.buffer.slice(taken.length);
    }
    this.at += rows.length;
    return rows;
  }

  async skip(firstRow: number, rows: number): Promise<void> {
    if (this.of.passed === undefined && this.iterator === null) {
      this.at += rows;
      return;
    }
    for (let left = rows; left > 0;) {
      const some = await this.next(Math.min(left, WINDOW_ROWS));
      if (some.length === 0) return;
      this.of.passed?.(firstRow, some);
      left -= some.length;
    }
  }

  async close(): Promise<void> {
    await this.iterator?.return?.();
  }

  private fitting(most: number, characters: number): readonly Row[] {
    let count = 0;
    for (let sum = 0; count < Math.min(most, this.buffer.length) && sum < characters; count++) {
      sum += this.buffer[count]?.text.length ?? 0;
    }
    return this.buffer.slice(0, count);
  }

  private async fill(): Promise<boolean> {
    this.iterator ??= this.of.rows(this.at)[Symbol.asyncIterator]();
    const next = await this.iterator.next();
    if (next.done) this.isAtEnd = true;
    else this.buffer = next.value;
    return !next.done;
  }
}

/** A part of an input and the number of parts. `index` starts at 0. */
export interface Part {
  readonly index: number;
  readonly of: number;
}

interface Range {
  readonly first: number;
  readonly rows: number;
}

/**
 * The rows of a part. The first parts get one extra row each if they do not divide evenly: 250,010 over 16 are ten
 * of 15,626 and six of 15,625.
 */
export function rangeOf(rows: number, { index, of }: Part): Range {
  const each = Math.floor(rows / of);
  const more = rows % of;
  return { first: index * each + Math.min(index, more), rows: each + (index < more ? 1 : 0) };
}

/** What a try with so many rows came to. Null: it ran out of what it was allowed. */
export type Trial = { readonly bytes: number } | null;

export interface BatchSearch {
  /** Rows to begin with: what the estimate says there is room for. */
  readonly first: number;
  /** No more than these are wanted. */
  readonly most: number;
  /** What may be taken at most: free memory less a margin. */
  readonly allowedBytes: number;
  readonly trials: number;
  readonly attempt: (rows: number) => Promise<Trial>;
}

export interface BatchFound {
  /** The most rows that ran; null: not even one. */
  readonly rows: number | null;
  /** One more was tried in vain, or exceeds by the line: these are not merely the most that were tried. */
  readonly certain: boolean;
  readonly tried: readonly { readonly rows: number; readonly bytes: number | null }[];
}

/**
 * The largest batch that runs, in few tries: memory is a line in the rows, so that two that ran say where the next is best
 * tried, and one that did not run bounds it. No try is made that the line says exceeds what is allowed; a try that runs out
 * is cut off by the process's own limit, not by the GPU.
 */
export async function largestBatch(search: BatchSearch): Promise<BatchFound> {
  const ran: { rows: number; bytes: number }[] = [];
  const failed: number[] = [];
  const tried: { rows: number; bytes: number | null }[] = [];
  let next: number | null = clamp(search.first, 1, search.most);
  while (next !== null && tried.length < search.trials) {
    const trial = await search.attempt(next);
    const fits = trial !== null && trial.bytes <= search.allowedBytes;
    tried.push({ rows: next, bytes: trial?.bytes ?? null });
    if (fits) ran.push({ rows: next, bytes: trial.bytes });
    else failed.push(next);
    next = nextRows(search, ran, failed);
  }
  const rows = ran.length > 0 ? Math.max(...ran.map(one => one.rows)) : null;
  const bound = Math.min(search.most + 1, ...failed);
  const line = alongLine(ran, search.allowedBytes);
  return { rows, certain: bound === (rows ?? 0) + 1 || (line !== null && line <= (rows ?? 0)), tried };
}

interface Ran {
  readonly rows: number;
  readonly bytes: number;
}

function nextRows(
  { most, allowedBytes }: BatchSearch,
  ran: readonly Ran[],
  failed: readonly number[],
): number | null {
  const low = Math.max(0, ...ran.map(one => one.rows));
  const high = Math.min(most + 1, ...failed);
  if (high - low <= 1) return null;
  const guess = alongLine(ran, allowedBytes);
  // What the line says exceeds is not tried.
  if (guess !== null) return guess > low ? Math.min(guess, high - 1) : null;
  if (low === 0) return Math.floor(high / 2);
  // One has run: a second that surely does makes a line; of a single row nothing is smaller.
  return low > 1 ? Math.ceil(low / 2) : 2;
}

/** The rows at which the line through the two largest that ran meets what is allowed. */
function alongLine(ran: readonly Ran[], allowedBytes: number): number | null {
  const [last, before] = ran.toSorted((a, b) => b.rows - a.rows);
  if (!last || !before) return null;
  const slope = (last.bytes - before.bytes) / (last.rows - before.rows);
  return slope > 0 ? Math.floor(last.rows + (allowedBytes - last.bytes) / slope) : null;
}

const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));

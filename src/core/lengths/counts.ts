/** Histogram: `[longest of the bin, rows]`; a bin begins after the previous one. */
export type Bins = readonly (readonly [upTo: number, rows: number])[];

/** Every length up to this one has a separate bin. */
const EXACT = 128;

/** The upper bound of a length's bin: 64 bins per doubling, so a bin is at most 1.6 % wide. */
export function binOf(length: number): number {
  if (length <= EXACT) return length;
  const width = 2 ** (Math.ceil(Math.log2(length)) - 7);
  return Math.ceil(length / width) * width;
}

/** Counts lengths in memory that does not grow with the data. */
export class LengthCounts {
  private readonly bins = new Map<number, number>();
  count = 0;
  sum = 0;
  longest = 0;

  add(length: number): void {
    const bin = binOf(length);
    this.bins.set(bin, (this.bins.get(bin) ?? 0) + 1);
    this.count += 1;
    this.sum += length;
    this.longest = Math.max(this.longest, length);
  }

  sorted(): Bins {
    return [...this.bins].toSorted(([a], [b]) => a - b);
  }
}

/** The length that this share of the rows does not exceed; 0 without rows. */
export function percentile(bins: Bins, share: number): number {
  const wanted = share * rowsIn(bins);
  let seen = 0;
  for (const [upTo, rows] of bins) {
    seen += rows;
    if (seen >= wanted) return upTo;
  }
  return 0;
}

/** The share of rows that are longer. Assumes an even spread within the bin that the limit cuts. */
export function shareAbove(bins: Bins, limit: number): number {
  const all = rowsIn(bins);
  if (all === 0) return 0;
  let [above, before] = [0, 0];
  for (const [upTo, rows] of bins) {
    const from = Math.max(before, lowerEdge(upTo));
    if (from >= limit) above += rows;
    else if (upTo > limit) above += (rows * (upTo - limit)) / (upTo - from);
    before = upTo;
  }
  return above / all;
}

/** Expected length of the longest of `rows` randomly drawn rows: the padded length of a batch. */
export function longestOf(bins: Bins, rows: number): number {
  const all = rowsIn(bins);
  let [seen, before, sum] = [0, 0, 0];
  for (const [upTo, here] of bins) {
    seen += here;
    const below = (seen / all) ** rows;
    sum += upTo * (below - before);
    before = below;
  }
  return all === 0 ? 0 : sum;
}

/** Rows with lengths cut at a limit. */
export function cutAt(bins: Bins, limit: number): Bins {
  const within = bins.filter(([upTo]) => upTo < limit);
  const rest = rowsIn(bins) - rowsIn(within);
  return rest === 0 ? within : [...within, [limit, rest]];
}

export const meanOf = (bins: Bins): number => {
  const all = rowsIn(bins);
  return all === 0 ? 0 : bins.reduce((sum, [upTo, rows]) => sum + upTo * rows, 0) / all;
};

export const rowsIn = (bins: Bins): number => bins.reduce((sum, [, rows]) => sum + rows, 0);

/** The longest length below a bin. */
function lowerEdge(upTo: number): number {
  return upTo <= EXACT ? upTo - 1 : upTo - 2 ** (Math.ceil(Math.log2(upTo)) - 7);
}

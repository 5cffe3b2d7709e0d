import table from './published.json';

/** Lengths of the rows of a public dataset, in tokens. */
export interface PublishedLengths {
  readonly rows: number;
  readonly mean: number;
  readonly deviation: number;
  readonly longest: number;
  /** Each row has a picture, whose tokens are not counted. */
  readonly hasPictures: boolean;
}

const ROWS = table.rows as unknown as Readonly<
  Record<string, readonly [number, number, number, number, number?]>
>;

/** Lengths that the table of ms-swift's documentation states for a dataset of a hub; null: it has none. */
export function publishedLengths(name: string): PublishedLengths | null {
  const key = name.toLowerCase();
  const found = Object.hasOwn(ROWS, key) ? ROWS[key] : undefined;
  if (!found) return null;
  const [rows, mean, deviation, longest, pictures] = found;
  return { rows, mean, deviation, longest, hasPictures: pictures === 1 };
}

/**
 * The longest of `drawn` rows, in tokens. Lengths of texts are close to log-normal; of all rows, it is the longest that the
 * table states.
 */
export function longestOfDrawn({ rows, mean, deviation, longest }: PublishedLengths, drawn: number): number {
  if (drawn >= rows || mean === 0) return longest;
  const variance = Math.log(1 + (deviation / mean) ** 2);
  const median = Math.log(mean) - variance / 2;
  return Math.min(longest, Math.exp(median + Math.sqrt(variance) * quantileAbove(1 / (drawn + 1))));
}

/** The normal quantile above which `share` lies (Abramowitz and Stegun, 26.2.23: within 0.00045). */
function quantileAbove(share: number): number {
  if (share >= 0.5) return share === 0.5 ? 0 : -quantileAbove(1 - share);
  const t = Math.sqrt(-2 * Math.log(share));
  const above = 2.515517 + 0.802853 * t + 0.010328 * t ** 2;
  return t - above / (1 + 1.432788 * t + 0.189269 * t ** 2 + 0.001308 * t ** 3);
}

const TEXTS: readonly PublishedLengths[] = Object.keys(ROWS)
  .flatMap(name => publishedLengths(name) ?? [])
  .filter(({ hasPictures }) => !hasPictures);

/** In this share of the published datasets of texts, what is asked of their lengths is no more. */
export function amongPublished(share: number, of: (lengths: PublishedLengths) => number): number {
  const sorted = TEXTS.map(of).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? 0;
}

/** A part of an input: which one, and of how many. `index` from 0. */
export interface Part {
  readonly index: number;
  readonly of: number;
}

export interface Range {
  readonly first: number;
  readonly rows: number;
}

/** Rows of a part. What does not divide evenly goes to the first parts, one each: 250,010 over 16 are ten of 15,626 and six of 15,625. */
export function rangeOf(rows: number, { index, of }: Part): Range {
  const each = Math.floor(rows / of);
  const more = rows % of;
  return { first: index * each + Math.min(index, more), rows: each + (index < more ? 1 : 0) };
}

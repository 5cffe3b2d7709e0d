/** What a record says about its rows in words, when it has no number for them. */
export interface RowWords {
  readonly seq_len: number | null;
  readonly seq_layout: string | null;
  readonly assumptions?: readonly string[];
}

/** Words for the longest row, those that say most first; of a range the upper end. */
const LONGEST: readonly RegExp[] = [
  /\d+ x ~?(\d+) tokens/,
  /up to ~?(?:\d+-)?(\d+) tokens/,
  /longest (?:roughly|about) (?:\d+-)?(\d+) tokens/,
  /\(max ~?(\d+k?)\)/,
];

/** Tokens of a row: the number, else what the words say about the longest one. */
export function tokensOf({ seq_len: stated, seq_layout: layout, assumptions = [] }: RowWords): number | null {
  if (stated !== null) return stated;
  const words = [...assumptions, layout ?? ''].join('; ');
  const found = LONGEST.map(pattern => pattern.exec(words)?.[1]).find(text => text !== undefined);
  if (found === undefined) return null;
  return found.endsWith('k') ? Number(found.slice(0, -1)) * 1000 : Number(found);
}

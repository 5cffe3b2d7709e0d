/** Letters to change, add, drop or swap with a neighbour to get from one word to another; above `most` it stops. */
export function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    if (Math.min(...row) > most) return most + 1;
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? most + 1;
}

/** One slip in a short word, two in a long one; in very short words any slip makes another word. */
const slips = (word: string): number => (word.length < 6 ? 0 : word.length < 10 ? 1 : 2);

/** The one known word that this is most likely a slip of; null when there is none, or several. */
export function meantBy(word: string, known: readonly string[]): string | null {
  const most = slips(word);
  if (most === 0) return null;
  let best: string | null = null;
  let least = most + 1;
  for (const candidate of known) {
    const distance = editDistance(word, candidate, most);
    if (distance < least) [best, least] = [candidate, distance];
    else if (distance === least) best = null;
  }
  return best;
}

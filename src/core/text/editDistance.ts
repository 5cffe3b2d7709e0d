/** Edit distance with swaps of neighboring letters (Damerau–Levenshtein); stops above `most`. */
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

/** One typo in a short word, two in a long one; a very short word with a typo is another word. */
const slips = (word: string): number => (word.length < 6 ? 0 : word.length < 10 ? 1 : 2);

/** The only known word that this is probably a typo of; null if there is none or several. */
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

/** The parts of a compound name: `perDevice_batch-size` is four words. */
export const wordsOf = (name: string): readonly string[] =>
  name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter(word => word !== '');

const together = (name: string): string => wordsOf(name).join('');

/** In words this short, another letter has another meaning: `tp_size` and `pp_size`. */
const SHORT = 4;

/**
 * Like `meantBy`, but for names. Excludes pairs that may be two different names: if digits differ, if the word is
 * short, or if the differing part is a word itself (`isWord`).
 */
export function slipOf(
  name: string,
  known: readonly string[],
  isWord: (word: string) => boolean,
): string | null {
  const joined = together(name);
  const same = joined.length < SHORT + 2 ? [] : known.filter(one => together(one) === joined);
  if (same.length === 1) return same[0] ?? null;
  const meant = meantBy(name, known);
  if (meant === null || digitsOf(name) !== digitsOf(meant)) return null;
  const [given, right] = [wordsOf(name), wordsOf(meant)];
  if (given.length !== right.length) return null;
  const isSlip = given.every((word, i) => {
    const other = right[i] ?? '';
    if (word === other) return true;
    if (isWord(word)) return false;
    const isMissing = other.length >= SHORT - 1 && word.length !== other.length;
    return other.length > SHORT || isMissing || lettersOf(word) === lettersOf(other);
  });
  return isSlip ? meant : null;
}

const digitsOf = (name: string): string => name.replaceAll(/\D/g, '');

const lettersOf = (word: string): string => word.split('').sort().join('');

/** A template with its translation, cut at its placeholders. */
interface Pattern {
  /** The texts around the placeholders, in order. */
  readonly pieces: readonly string[];
  /** The placeholders between them: `{0}` is 0. */
  readonly places: readonly number[];
  readonly translation: string;
  /** It has few letters of its own, so each of its places is one word. */
  readonly isShort: boolean;
}

const PLACEHOLDER = /\{(\d{1,2})\}/;

/** Texts inside of texts: a phrase with a phrase with a list. */
const DEEPEST = 4;

/** Letters of its own that a template has whose places may have any text. */
const LEAST_LETTERS = 4;

/** Texts that are kept with their translation: more than a page of an estimate has. */
const MOST_KEPT = 2000;

/**
 * Finds the translation of a sentence that was filled before its reader was known: an assumption of an estimate that is kept,
 * a job's record on disk, a state that another process saw. Of several templates that match, the one with the most of its
 * own letters is it. What filled its places is translated likewise if it is a text of its own; what nothing matches stays.
 */
export class Retelling {
  private readonly known = new Map<string, string>();
  private patterns: readonly Pattern[] | null = null;

  constructor(private readonly table: ReadonlyMap<string, string>) {}

  tell(text: string, depth = 0): string {
    // A word that fills a place may be a name, such as a value of a key.
    if (depth > DEEPEST || (depth > 0 && !text.includes(' '))) return text;
    const exact = this.table.get(text) ?? this.known.get(text);
    if (exact !== undefined || !text.includes(' ')) return exact ?? text;
    const told = this.matched(text, depth);
    if (this.known.size >= MOST_KEPT) this.known.clear();
    this.known.set(text, told);
    return told;
  }

  private matched(text: string, depth: number): string {
    this.patterns ??= patternsOf(this.table);
    for (const { pieces, places, translation, isShort } of this.patterns) {
      const found = between(text, pieces);
      if (!found || (isShort && found.some(one => one.includes(' ')))) continue;
      const values = new Map(places.map((place, i) => [place, this.tell(found[i] ?? '', depth + 1)]));
      return filled(translation, values);
    }
    return this.bracketed(text, depth);
  }

  /** `The GPU ran out of memory (2.0 GB requested, in the forward pass)`: its template is of signs alone. */
  private bracketed(text: string, depth: number): string {
    const at = text.endsWith(')') ? text.indexOf(' (') : -1;
    const sentence = text.slice(0, Math.max(0, at));
    const said = this.tell(sentence, depth + 1);
    if (said === sentence) return text;
    const facts = text.slice(at + 2, -1).split(', ');
    const list = facts.map(fact => this.tell(fact, depth + 1)).join(this.table.get(', ') ?? ', ');
    return filled(
      this.table.get('{0} ({1})') ?? '{0} ({1})',
      new Map([
        [0, said],
        [1, list],
      ]),
    );
  }
}

const filled = (translation: string, values: ReadonlyMap<number, string>): string =>
  translation.replaceAll(/\{(\d{1,2})\}/g, (whole, at: string) => values.get(Number(at)) ?? whole);

/** The most telling first. A template of signs tells nothing; one with a short word, such as `{0} is {1}`, tells little. */
function patternsOf(table: ReadonlyMap<string, string>): readonly Pattern[] {
  const all = [...table].flatMap(([template, translation]) => {
    const parts = template.split(PLACEHOLDER);
    const pieces = parts.filter((_, i) => i % 2 === 0);
    const letters = pieces.join('').replaceAll(/[^\p{L}]/gu, '').length;
    if (parts.length === 1 || letters < 2) return [];
    const places = parts.filter((_, i) => i % 2 === 1).map(Number);
    return [{ letters, pattern: { pieces, places, translation, isShort: letters < LEAST_LETTERS } }];
  });
  return all.toSorted((a, b) => b.letters - a.letters).map(({ pattern }) => pattern);
}

/** What stands between the pieces of a text; null if it has them not, or not in this order. */
function between(text: string, pieces: readonly string[]): readonly string[] | null {
  const [first = '', ...rest] = pieces;
  const last = rest.pop() ?? '';
  if (!text.startsWith(first) || !text.endsWith(last)) return null;
  const end = text.length - last.length;
  const found: string[] = [];
  let from = first.length;
  for (const piece of rest) {
    const at = piece === '' ? -1 : text.indexOf(piece, from);
    if (at === -1 || at + piece.length > end) return null;
    found.push(text.slice(from, at));
    from = at + piece.length;
  }
  if (from > end) return null;
  found.push(text.slice(from, end));
  return found.includes('') ? null : found;
}

import { RegExpParser } from '@eslint-community/regexpp';
import type { AST } from '@eslint-community/regexpp';

/** What an attack is made of: the start of a text that a pattern takes, a piece that is repeated, an end that it does not take. */
export interface Attack {
  readonly start: string;
  readonly piece: string;
  readonly end: string;
}

/** Of the many characters that a class takes, those by which patterns tell words apart come first. */
const CHARACTERS = [
  ...['a', '0', ' ', '\t', '\n', '-', '_', '.', ',', ':', ';', '/', '\\', '"', "'", '(', ')', '[', ']', '{'],
  ...['}', '<', '>', '|', '=', '+', '*', '#', '@', '%', '$', '&', '!', '?', '~', '^', '`', 'A', 'é', '·'],
];
const ENDS = ['', '\n!'];
/** Of one repeated part. */
const MOST_CHARACTERS = 4;
/** Of one alternative, from the shortest. */
const MOST_PIECES = 12;

/** Texts for which patterns try many ways: parts of the pattern repeated, behind what it takes, before what it does not. */
export function attacksOn(pattern: RegExp): readonly Attack[] {
  const { unicode, flags } = pattern;
  const parser = new RegExpParser({ ecmaVersion: 2024 });
  const tree = parser.parsePattern(pattern.source, 0, undefined, {
    unicode,
    unicodeSets: flags.includes('v'),
  });
  const found = new Map<string, Attack>();
  new Attacker(pattern, (start, piece) => {
    if (piece === '') return;
    for (const end of ENDS) found.set(JSON.stringify([start, piece, end]), { start, piece, end });
  }).attack(tree.alternatives, '');
  return [...found.values()];
}

class Attacker {
  constructor(
    private readonly pattern: RegExp,
    private readonly found: (start: string, piece: string) => void,
  ) {}

  /** `before`: a text that the pattern takes up to these alternatives. */
  attack(alternatives: readonly AST.Alternative[], before: string): void {
    for (const { elements } of alternatives) {
      const words = elements.map(element => this.textOf(element));
      const runs = words.flatMap((_, from) => words.map((_, to) => words.slice(from, to + 1).join('')));
      const shortest = [...new Set(runs)].sort((a, b) => a.length - b.length).slice(0, MOST_PIECES);
      for (const run of [...shortest, words.join('')]) this.found('', run);
      for (const [at, element] of elements.entries()) {
        this.within(element, before + words.slice(0, at).join(''));
      }
    }
  }

  private within(element: AST.Element, before: string): void {
    const repeated = element.type === 'Quantifier' ? element.element : element;
    if (element.type === 'Quantifier' && element.max > 100) {
      for (const piece of [...this.charactersIn(repeated), this.textOf(repeated)]) {
        this.found('', piece);
        this.found(before, piece);
        this.found(before + this.textOf(element), piece);
      }
    }
    if ('alternatives' in repeated) this.attack(repeated.alternatives, before);
  }

  /** A short text that a part takes, with something for what may be left out; '' for what takes no text. */
  private textOf(element: AST.Element): string {
    if (element.type === 'Quantifier') {
      return this.textOf(element.element).repeat(Math.min(Math.max(element.min, 1), 8));
    }
    if (element.type === 'Group' || element.type === 'CapturingGroup') {
      return element.alternatives[0]?.elements.map(one => this.textOf(one)).join('') ?? '';
    }
    return this.charactersOf(element)[0] ?? '';
  }

  /** Characters that a part or the parts of a group take. */
  private charactersIn(element: AST.Element): readonly string[] {
    if (element.type === 'Quantifier') return this.charactersIn(element.element);
    if (element.type !== 'Group' && element.type !== 'CapturingGroup') return this.charactersOf(element);
    return element.alternatives.flatMap(({ elements }) => elements.flatMap(one => this.charactersIn(one)));
  }

  private charactersOf(element: AST.Element): readonly string[] {
    if (element.type === 'Character') return [String.fromCodePoint(element.value)];
    if (element.type !== 'CharacterSet' && element.type !== 'CharacterClass') return [];
    const takes = new RegExp(`^${element.raw}$`, this.pattern.flags.replace(/[gy]/g, ''));
    const candidates = [...new Set([...CHARACTERS, ...this.pattern.source.split('')])];
    const taken = candidates.filter(character => takes.test(character));
    // Where many are taken, those count that mean something in the rest of the pattern.
    const own = taken.filter(character => this.pattern.source.includes(character));
    return [...new Set([...taken.slice(0, 1), ...own, ...taken])].slice(0, MOST_CHARACTERS);
  }
}

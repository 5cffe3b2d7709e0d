/** Whether the commands of a branch run; null: only the start decides. */
export type Taken = boolean | null;

/** An `if` around statements. */
interface Branch {
  now: Taken;
  /** A branch before this one was taken, or may have been. */
  before: Taken;
  /** The variable that it gives a value if there is none. */
  readonly defaulted: string | null;
}

/** The branches around a statement of a script, by tests whose words are known. */
export class Branches {
  private readonly open: Branch[] = [];

  enter(taken: Taken, defaulted: string | null = null): void {
    this.open.push({ now: taken, before: taken, defaulted });
  }

  /** `elif`, or `else` with a test that always holds. */
  next(test: Taken): void {
    const branch = this.open.at(-1);
    if (!branch) return;
    branch.now = and(not(branch.before), test);
    branch.before = not(and(not(branch.before), not(test)));
  }

  leave(): void {
    this.open.pop();
  }

  get taken(): Taken {
    return this.open.reduce<Taken>((all, { now }) => and(all, now), true);
  }

  /** The variable that the only open branch gives a value if there is none. */
  get defaulted(): string | null {
    const unknown = this.open.filter(({ now }) => now === null);
    return unknown.length === 1 ? (this.open.at(-1)?.defaulted ?? null) : null;
  }
}

const not = (one: Taken): Taken => (one === null ? null : !one);

const and = (one: Taken, other: Taken): Taken =>
  one === false || other === false ? false : one === null || other === null ? null : true;

/** What `[ a = b ]` and `[[ a == b ]]` come to; null where a word is open, and for tests of files. */
export function tested(words: readonly { readonly text: string; readonly open: boolean }[]): Taken {
  const [bracket, ...rest] = words;
  const end = bracket?.text === '[' ? ']' : bracket?.text === '[[' ? ']]' : null;
  if (end === null || rest.at(-1)?.text !== end || rest.some(({ open }) => open)) return null;
  const [one = '', operator = '', other] = rest.slice(0, -1).map(({ text }) => text);
  if (rest.length === 2) return one !== '';
  if (rest.length === 3) return ofOne(one, operator);
  return rest.length === 4 && other !== undefined ? compared(one, operator, other) : null;
}

const ofOne = (operator: string, word: string): Taken =>
  operator === '-z' ? word === '' : operator === '-n' ? word !== '' : null;

function compared(one: string, operator: string, other: string): Taken {
  // A pattern of `[[ … ]]`.
  if (/[*?]/.test(other)) return null;
  if (operator === '=' || operator === '==') return one === other;
  if (operator === '!=') return one !== other;
  const compare = COMPARES[operator];
  return compare && [one, other].every(word => /^-?\d+$/.test(word))
    ? compare(Number(one), Number(other))
    : null;
}

const COMPARES: Readonly<Record<string, (one: number, other: number) => boolean>> = {
  '-eq': (one, other) => one === other,
  '-ne': (one, other) => one !== other,
  '-gt': (one, other) => one > other,
  '-ge': (one, other) => one >= other,
  '-lt': (one, other) => one < other,
  '-le': (one, other) => one <= other,
};

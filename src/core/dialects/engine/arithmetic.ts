/**
 * Integer arithmetic with the functions of projects' resolvers: `512 // 4`, `div_up(512, 8)`, `max(1, 2)`. Null for
 * anything else: words, Python calls, a division with a remainder if an integer is required.
 */
export function arithmetic(text: string): number | null {
  const tokens = text.match(/\d+(?:\.\d+)?|\/\/|[-+*/%(),]|[A-Za-z_]+|\S/g) ?? [];
  if (tokens.length > MOST_TOKENS) return null;
  const parser = new Parser(tokens);
  const value = parser.sum();
  return parser.isDone && value !== null && Number.isFinite(value) ? value : null;
}

/** Token limit, because parentheses recurse; hand-written formulas have a few dozen. */
const MOST_TOKENS = 1000;

type Operation = (a: number, b: number) => number | null;

const divided: Operation = (a, b) => (b === 0 ? null : a / b);
const floored: Operation = (a, b) => (b === 0 ? null : Math.floor(a / b));

const PRODUCTS: Readonly<Record<string, Operation>> = {
  '*': (a, b) => a * b,
  '/': divided,
  '//': floored,
  // The remainder has the sign of the divisor, as in Python.
  '%': (a, b) => (b === 0 ? null : a - b * Math.floor(a / b)),
};

/** Functions and resolvers whose meaning is the same everywhere. */
const FUNCTIONS: Readonly<Record<string, Operation>> = {
  min: (a, b) => Math.min(a, b),
  max: (a, b) => Math.max(a, b),
  div_up: (a, b) => (b === 0 ? null : Math.ceil(a / b)),
  int_div: floored,
  floordiv: floored,
  mul: (a, b) => a * b,
  round_div: (a, b) => (b === 0 ? null : Math.round(a / b)),
};

/** True for a known function. */
export const isFunction = (name: string): boolean => Object.hasOwn(FUNCTIONS, name);

/** Nesting limit for parentheses and signs; real formulas have half a dozen. */
const DEEPEST = 64;

class Parser {
  private at = 0;
  private depth = 0;

  constructor(private readonly tokens: readonly string[]) {}

  get isDone(): boolean {
    return this.at === this.tokens.length;
  }

  sum(): number | null {
    let value = this.product();
    for (let sign = this.take('+', '-'); sign !== null; sign = this.take('+', '-')) {
      const next = this.product();
      if (value === null || next === null) return null;
      value = sign === '+' ? value + next : value - next;
    }
    return value;
  }

  private product(): number | null {
    let value = this.factor();
    for (let sign = this.take(...Object.keys(PRODUCTS)); sign !== null;) {
      const next = this.factor();
      if (value === null || next === null) return null;
      value = PRODUCTS[sign]?.(value, next) ?? null;
      sign = this.take(...Object.keys(PRODUCTS));
    }
    return value;
  }

  private factor(): number | null {
    this.depth += 1;
    // Deeper nesting is not a formula, and must not overflow the stack.
    const value = this.depth > DEEPEST ? null : this.nested();
    this.depth -= 1;
    return value;
  }

  private nested(): number | null {
    if (this.take('-') !== null) {
      const value = this.factor();
      return value === null ? null : -value;
    }
    if (this.take('(') !== null) {
      const value = this.sum();
      return this.take(')') === null ? null : value;
    }
    const token = this.tokens[this.at++] ?? '';
    if (/^\d/.test(token)) return Number(token);
    return isFunction(token) ? this.call(token) : null;
  }

  private call(name: string): number | null {
    if (this.take('(') === null) return null;
    const first = this.sum();
    const comma = this.take(',');
    const second = this.sum();
    if (this.take(')') === null || comma === null || first === null || second === null) return null;
    return FUNCTIONS[name]?.(first, second) ?? null;
  }

  private take(...wanted: readonly string[]): string | null {
    const token = this.tokens[this.at];
    if (token === undefined || !wanted.includes(token)) return null;
    this.at += 1;
    return token;
  }
}

/** An interpolation without a nested one. */
const INNERMOST = /\$\{([^${}]*)\}/;
const REFERENCE = /^\.*[A-Za-z_][\w.[\]-]*$/;
const RESOLVER = /^([a-z_]+):(.*)$/s;
/** Limit of interpolations per text; real ones have half a dozen. */
const MOST = 32;

/**
 * The number that an interpolation comes to when it is arithmetic on numbers of the same config:
 * `${div_up:${.global}, ${eval:${trainer.devices} * 2}}`. `numberAt` gives the number that a reference leads to.
 * Null for anything else: the effect of a project's own resolver is unknown.
 */
export function computed(text: string, numberAt: (reference: string) => number | null): number | null {
  if (!text.startsWith('${') || !text.endsWith('}')) return null;
  let rest = text;
  for (let count = 0; count < MOST; count++) {
    const found = INNERMOST.exec(rest);
    if (!found) return arithmetic(rest);
    const value = inner(found[1]?.trim() ?? '', numberAt);
    if (value === null) return null;
    rest = rest.slice(0, found.index) + value + rest.slice(found.index + found[0].length);
  }
  return null;
}

function inner(text: string, numberAt: (reference: string) => number | null): string | null {
  if (REFERENCE.test(text)) {
    const value = numberAt(text);
    return value === null ? null : `(${value})`;
  }
  const [, name = '', argument = ''] = RESOLVER.exec(text) ?? [];
  const plain = argument.trim().replace(/^(['"])(.*)\1$/s, '$2');
  if (name === 'eval') return `(${plain})`;
  return isFunction(name) ? `${name}(${plain})` : null;
}

import type { Span } from '../text/span';
import type { Scope } from './bindings';
import type { CallExpression, Expression, Statement } from './syntax';

/** A call in an expression, with what is done with its result. */
export interface Wanted {
  readonly expression: CallExpression;
  /** The last part of what it calls; '' for the result of another call. */
  readonly name: string;
  readonly uses: readonly string[];
  readonly isWhole: boolean;
}

/** Methods of modules that return the module: `from_pretrained(…).to('cuda').eval()` is still the model. */
const RETURNS_ITSELF: ReadonlySet<string> = new Set(['to', 'cuda', 'eval', 'requires_grad_']);

/** The calls in a statement's values, and in what a loop goes over. */
export function callsIn(statement: Statement, inLambdas = false): readonly Wanted[] {
  const over = statement.kind === 'loop' && statement.over ? [statement.over] : partsOf(statement);
  const found = known.get(statement) ?? wantedIn(over);
  known.set(statement, found);
  return inLambdas ? found.all : found.outside;
}

/** All calls of a statement, and those outside lambdas. */
interface Calls {
  readonly all: readonly Wanted[];
  readonly outside: readonly Wanted[];
}

/** By statement, since each reader of a program asks for other names, and an edit keeps most statements. */
const known = new WeakMap<Statement, Calls>();

/** The calls in expressions. */
function wantedIn(values: readonly Expression[]): Calls {
  const all: Wanted[] = [];
  const inner = new Set<Wanted>();
  let lambdas = 0;
  const visit = (expression: Expression, uses: readonly string[], isWhole: boolean): void => {
    if (expression.kind === 'call') {
      const { callee } = expression;
      const name = callee.kind === 'name' || callee.kind === 'member' ? callee.name : '';
      const found = { expression, name, uses, isWhole };
      all.push(found);
      if (lambdas > 0) inner.add(found);
      if (callee.kind === 'member') {
        visit(callee.of, [callee.name], isWhole && RETURNS_ITSELF.has(callee.name));
      }
      for (const arg of expression.args) visit(arg.value, [name], false);
    } else if (isPart(expression)) visit(expression.of, [], false);
    else if (expression.kind === 'list') for (const item of expression.items) visit(item, [], false);
    else if (expression.kind === 'choice') {
      visit(expression.then, [], isWhole);
      visit(expression.otherwise, [], isWhole);
    } else {
      const later = laterIn(expression);
      if (!later) return;
      if (later.isOwn) lambdas++;
      visit(later.of, [], false);
      if (later.isOwn) lambdas--;
    }
  };
  for (const value of values) visit(value, [], true);
  return { all, outside: inner.size === 0 ? all : all.filter(one => !inner.has(one)) };
}

/**
 * The expression of a lambda or a comprehension. It has names of its own, except where a comprehension only counts:
 * `[Worker.remote(MODEL) for _ in range(4)]`.
 */
function laterIn(expression: Expression): { readonly of: Expression; readonly isOwn: boolean } | null {
  if (expression.kind === 'other') return expression.body ? { of: expression.body, isOwn: true } : null;
  if (expression.kind !== 'comprehension') return null;
  const { target, value } = expression;
  return { of: value, isOwn: target.kind !== 'name' || handsOn(value, target.name) };
}

/** The value of a statement; of a return, each that it returns. */
export function partsOf(statement: Statement): readonly Expression[] {
  if (!('value' in statement) || statement.value === null) return [];
  const { kind, value } = statement;
  return kind === 'return' && value.kind === 'list' ? value.items : [value];
}

/** `of.name`, `of[index]`. */
const isPart = (expression: Expression): expression is Extract<Expression, { kind: 'member' | 'item' }> =>
  expression.kind === 'member' || expression.kind === 'item';

/** Methods called on a name, and functions that get it. */
export function usesOf(name: string, scope: Scope): readonly string[] {
  const uses: string[] = [];
  const visit = (expression: Expression): void => {
    if (expression.kind !== 'call') {
      if (isPart(expression)) visit(expression.of);
      return;
    }
    const { callee, args } = expression;
    if (isNamedSo(callee, name)) uses.push('__call__');
    else if (callee.kind === 'member' && mentions(callee.of, name)) uses.push(callee.name);
    else if (callee.kind === 'member') visit(callee.of);
    const called = callee.kind === 'name' || callee.kind === 'member' ? callee.name : '';
    for (const { value } of args) {
      if (mentions(value, name)) uses.push(called);
      else visit(value);
    }
  };
  for (const { statement } of scope.steps) {
    if ('value' in statement && statement.value !== null) visit(statement.value);
  }
  const inner = scope.of === null || name.startsWith('.') ? scope.inner : [];
  for (const one of inner) uses.push(...usesOf(name, one));
  return uses;
}

/** True if an expression hands on what has a name, instead of calling it: `target=train`, `{"dpo": train}`. */
export function handsOn(expression: Expression, name: string): boolean {
  if (expression.kind === 'name') return expression.name === name;
  const inner: readonly Expression[] = [
    'items' in expression ? expression.items : [],
    'entries' in expression ? expression.entries.map(({ value }) => value) : [],
    'args' in expression ? expression.args.map(({ value }) => value) : [],
    'callee' in expression && expression.callee.kind !== 'name' ? [expression.callee] : [],
    'of' in expression ? [expression.of] : [],
    'left' in expression ? [expression.left, expression.right] : [],
    'then' in expression ? [expression.then, expression.otherwise] : [],
    'over' in expression ? [expression.value, expression.over] : [],
    'body' in expression ? [expression.body] : [],
    'parts' in expression ? expression.parts.filter(part => typeof part !== 'string') : [],
  ].flat();
  return inner.some(one => handsOn(one, name));
}

export const mentions = (expression: Expression, name: string): boolean =>
  (expression.kind === 'name' && expression.name === name) ||
  (expression.kind === 'member' && (`.${expression.name}` === name || mentions(expression.of, name)));

/**
 * The method that a call makes on what a name is bound to, or on the result of the call at a place: `to`,
 * `vae.enable_tiling`; null: none.
 */
export function methodOn({ callee }: CallExpression, name: string | null, made: Span): string | null {
  const isIt = (expression: Expression): boolean =>
    (expression.span.start === made.start && expression.span.end === made.end) ||
    (name !== null && isNamedSo(expression, name));
  if (isIt(callee)) return '__call__';
  const parts: string[] = [];
  let at = callee;
  while (at.kind === 'member') {
    parts.unshift(at.name);
    at = at.of;
    if (isIt(at)) return parts.join('.');
    // `load().to("cuda").eval()`: each returns what it is called on.
    const isSame = at.kind === 'call' && at.callee.kind === 'member' && RETURNS_ITSELF.has(at.callee.name);
    if (isSame && at.kind === 'call' && at.callee.kind === 'member') at = at.callee.of;
    if (isIt(at)) return parts.join('.');
  }
  return null;
}

const isNamedSo = (expression: Expression, name: string): boolean =>
  (expression.kind === 'name' && expression.name === name) ||
  (expression.kind === 'member' && `.${expression.name}` === name);

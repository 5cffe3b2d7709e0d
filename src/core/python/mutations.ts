import type { CallExpression, Expression, Statement } from './syntax';

/*
 * Statements that change a dictionary or an object in place, as the expression that the name stands for afterwards.
 */

/** What a name is after a statement; null: only the run knows. */
interface Changed {
  readonly name: string;
  readonly value: Expression | null;
}

type Loop = Extract<Statement, { kind: 'loop' }>;

/** `for key, value in other.items()`. */
interface Pairs {
  readonly key: string;
  readonly value: string;
  readonly over: Expression;
}

/** One assignment of a loop's turn, with the test of the branch around it. */
interface Turn {
  readonly name: string;
  readonly value: Expression;
  readonly isAttribute: boolean;
  readonly test: Expression | null;
}

/**
 * What a loop over the entries of one dictionary makes of others: `for k, v in new.items(): all[k] = v`, the same with
 * `setattr`, and `all[k] = merge(all[k], v)` for sections. Empty: it is another loop.
 */
export function mergesOf(loop: Loop): readonly Changed[] {
  const pairs = pairsOf(loop);
  if (!pairs) return [];
  const turns = turnsIn(loop.body, pairs.key, null);
  return [...new Set(turns.map(({ name }) => name))].map(name => ({
    name,
    value: mergedBy(
      name,
      turns.filter(turn => turn.name === name),
      pairs,
    ),
  }));
}

function pairsOf({ targets, over }: Loop): Pairs | null {
  const all = targets.flatMap(target => (target.kind === 'list' ? target.items : [target]));
  const [key, value, ...others] = all.filter(({ kind }) => kind === 'name');
  const isItems = over?.kind === 'call' && over.callee.kind === 'member' && over.callee.name === 'items';
  if (!isItems || key?.kind !== 'name' || value?.kind !== 'name' || others.length > 0) return null;
  return { key: key.name, value: value.name, over };
}

function turnsIn(body: readonly Statement[], key: string, test: Expression | null): readonly Turn[] {
  return body.flatMap((statement): readonly Turn[] => {
    if (statement.kind === 'branches') {
      return statement.branches.flatMap(branch => turnsIn(branch.body, key, branch.test ?? test));
    }
    if (statement.kind === 'block') return turnsIn(statement.body, key, test);
    const turn = turnOf(statement, key);
    return turn ? [{ ...turn, test }] : [];
  });
}

/** `all[key] = value`, `setattr(all, key, value)`; null: another statement. */
function turnOf(statement: Statement, key: string): Omit<Turn, 'test'> | null {
  if (statement.kind === 'assign') {
    const [target] = statement.targets;
    if (target?.kind !== 'item' || target.of.kind !== 'name' || !isNamed(target.index, key)) return null;
    return { name: target.of.name, value: statement.value, isAttribute: false };
  }
  const call = statement.kind === 'expression' ? statement.value : null;
  if (call?.kind !== 'call' || !isNamed(call.callee, 'setattr')) return null;
  const [of, name, value] = call.args.map(arg => arg.value);
  const isKeys = of?.kind === 'name' && name !== undefined && isNamed(name, key);
  return isKeys && value ? { name: of.name, value, isAttribute: true } : null;
}

function mergedBy(name: string, turns: readonly Turn[], { key, value, over }: Pairs): Expression | null {
  const isEach = (one: Turn): boolean => isNamed(one.value, value);
  // `merge(all[key], value)`: sections are merged as the whole is.
  const isSection = (one: Turn): boolean =>
    one.value.kind === 'call' &&
    one.value.args.some(arg => isNamed(arg.value, value)) &&
    one.value.args.some(arg => has(arg.value, name));
  if (!turns.every(one => isEach(one) || isSection(one))) return null;
  const { span } = over;
  const before: Expression = { kind: 'name', span, name };
  const isDeep = turns.some(isSection);
  const test = isDeep ? null : (turns.find(one => one.test && has(one.test, value))?.test ?? null);
  const pair = [key, value].map((one): Expression => ({ kind: 'name', span, name: one }));
  const [first, second] = pair;
  if (!first || !second) return null;
  const target: Expression = { kind: 'list', span, items: pair };
  const entries: Expression = { kind: 'comprehension', span, key: first, value: second, target, over, test };
  if (isDeep || turns.some(({ isAttribute }) => isAttribute)) return merging(before, entries);
  const parts = [before, entries].map(part => ({ key: null, value: part }));
  return { kind: 'dict', span, entries: parts };
}

/** `all["section"]["key"] = value` and `all.section.key = value`; null: it is another target. */
export function setWithin(target: Expression, value: Expression): { name: string; value: Expression } | null {
  const keys: Expression[] = [];
  let at = target;
  while (at.kind === 'item' || at.kind === 'member') {
    const { span } = at;
    keys.unshift(at.kind === 'item' ? at.index : { kind: 'constant', span, value: at.name });
    at = at.of;
  }
  const isKnown = keys.every(key => key.kind === 'constant' && typeof key.value === 'string');
  if (at.kind !== 'name' || at.name === 'self' || keys.length < 2 || !isKnown) return null;
  const sections = keys.reduceRight<Expression>(
    (inner, key) => ({ kind: 'dict', span: target.span, entries: [{ key, value: inner }] }),
    value,
  );
  return { name: at.name, value: merging(at, sections) };
}

/** Of sections with one name, the keys of the later one win, as in OmegaConf's function. */
function merging(before: Expression, over: Expression): CallExpression & Expression {
  const { span } = over;
  const args = [before, over].map(value => ({ name: null, stars: 0, keySpan: value.span, value }) as const);
  return { kind: 'call', span, list: span, callee: { kind: 'name', span, name: MERGE }, args };
}

const MERGE = 'omegaconf.OmegaConf.merge';

const isNamed = (expression: Expression, name: string): boolean =>
  expression.kind === 'name' && expression.name === name;

/** Whether a name stands in an expression of few parts. */
const has = (expression: Expression, name: string): boolean =>
  isNamed(expression, name) || partsOf(expression).some(part => has(part, name));

function partsOf(expression: Expression): readonly Expression[] {
  if (expression.kind === 'binary') return [expression.left, expression.right];
  if (expression.kind === 'call') return [expression.callee, ...expression.args.map(arg => arg.value)];
  const isOfOne = expression.kind === 'member' || expression.kind === 'item' || expression.kind === 'unary';
  return isOfOne ? [expression.of] : [];
}

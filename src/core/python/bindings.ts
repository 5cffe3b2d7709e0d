import type {
  Branch,
  CallExpression,
  ClassStatement,
  Expression,
  FunctionStatement,
  Statement,
} from './syntax';
import { mergesOf, setWithin } from './mutations';

/** The branches that a statement is in, outermost first. */
export type Way = readonly Turn[];

/** One branch: it is taken if its test holds and those before it do not. */
export interface Turn {
  readonly branch: Branch | null;
  /** The loop whose body it is. */
  readonly loop?: Statement;
  readonly before: readonly Expression[];
}

/** The place of an item that is unpacked, or each item in turn. */
export type Part = number | 'each';

/** What a name means from a position on. */
export interface Binding {
  readonly at: number;
  readonly way: Way;
  readonly to:
    | { readonly kind: 'value'; readonly value: Expression; readonly part: Part | null }
    | { readonly kind: 'module'; readonly qualified: string }
    | { readonly kind: 'function'; readonly of: FunctionStatement }
    | { readonly kind: 'class'; readonly of: ClassStatement }
    | { readonly kind: 'open' };
}

/** `name.attribute = value` or `name["attribute"] = value`. */
export interface Assigned {
  readonly at: number;
  readonly way: Way;
  readonly attribute: string;
  /** The attributes before it: `name.model.attribute = value`. */
  readonly within: readonly string[];
  readonly key: Expression['span'];
  readonly value: Expression;
  /** Where the value is unpacked: `self.model, self.tokenizer = load()`. */
  readonly part: number | null;
}

/** A function's or the module's names. */
export interface Scope {
  readonly of: FunctionStatement | null;
  readonly above: Scope | null;
  readonly names: ReadonlyMap<string, readonly Binding[]>;
  readonly assigned: ReadonlyMap<string, readonly Assigned[]>;
  /** Statements with their branches, in order, without those of functions and classes inside. */
  readonly steps: readonly { readonly statement: Statement; readonly way: Way }[];
  readonly inner: readonly Scope[];
  /** Modules of `from … import *`. */
  readonly stars: readonly string[];
}

/** The names of a program and of its functions. Class bodies are no scopes: their attributes are read from the class. */
export function scopeOf(
  body: readonly Statement[],
  of: FunctionStatement | null = null,
  above: Scope | null = null,
): Scope {
  return new ScopeBuilder(of, above).build(body);
}

/** The way of what handles an exception. */
const NEVER: Turn = {
  branch: { test: { kind: 'constant', span: { start: 0, end: 0 }, value: false }, body: [] },
  before: [],
};

class ScopeBuilder {
  private readonly names = new Map<string, Binding[]>();
  private readonly assigned = new Map<string, Assigned[]>();
  private readonly steps: Scope['steps'][number][] = [];
  private readonly inner: Scope[] = [];
  private readonly stars: string[] = [];
  private readonly scope: Scope;

  constructor(of: FunctionStatement | null, above: Scope | null) {
    const { names, assigned, steps, inner, stars } = this;
    this.scope = { of, above, names, assigned, steps, inner, stars };
  }

  build(body: readonly Statement[]): Scope {
    this.body(body, []);
    return this.scope;
  }

  private body(body: readonly Statement[], way: Way): void {
    for (const statement of body) this.statement(statement, way);
  }

  private statement(statement: Statement, way: Way): void {
    this.steps.push({ statement, way });
    const at = statement.span.end;
    switch (statement.kind) {
      case 'import':
        for (const { local, qualified } of statement.names) {
          this.bind(local, { at, way, to: { kind: 'module', qualified } });
        }
        if (statement.star !== null) this.stars.push(statement.star);
        break;
      case 'assign':
        this.assign(statement, way);
        break;
      case 'function':
        this.bind(statement.name, { at, way, to: { kind: 'function', of: statement } });
        this.inner.push(scopeOf(statement.body, statement, this.scope));
        break;
      case 'class':
        this.bind(statement.name, { at, way, to: { kind: 'class', of: statement } });
        for (const one of statement.body) {
          if (one.kind === 'function') this.inner.push(scopeOf(one.body, one, this.scope));
        }
        break;
      case 'branches':
        this.branches(statement.branches, way);
        break;
      case 'loop':
        this.looped(statement, way);
        break;
      case 'block':
        this.body(statement.body, way);
        // Headroom is asked about runs that do not fail.
        this.body(statement.perhaps, [...way, NEVER]);
        break;
      case 'expression':
        this.mutation(statement.value, at, way);
        break;
      case 'return':
    }
  }

  private looped(loop: Loop, way: Way): void {
    this.turned(loop, way);
    this.body(loop.body, [...way, { branch: null, loop, before: [] }]);
    for (const { name, value } of mergesOf(loop)) {
      const to = value ? ({ kind: 'value', value, part: null } as const) : ({ kind: 'open' } as const);
      this.bind(name, { at: loop.span.end, way, to });
    }
  }

  /** `for name in items`; several names are not known. */
  private turned({ targets, over, span }: Loop, way: Way): void {
    const [only, ...others] = targets;
    const at = span.start;
    if (over && only?.kind === 'name' && others.length === 0) {
      this.bind(only.name, { at, way, to: { kind: 'value', value: over, part: 'each' } });
    } else for (const target of targets) this.open(target, at, way);
  }

  private branches(branches: readonly Branch[], way: Way): void {
    const before: Expression[] = [];
    for (const branch of branches) {
      this.body(branch.body, [...way, { branch, before: [...before] }]);
      if (branch.test) before.push(branch.test);
    }
  }

  private assign(statement: Extract<Statement, { kind: 'assign' }>, way: Way): void {
    const { targets, value, operator, span } = statement;
    for (const target of targets) {
      const combined: Expression =
        operator === null
          ? value
          : {
              kind: 'binary',
              span: { ...value.span, start: span.start },
              operator,
              left: target,
              right: value,
            };
      this.target(target, combined, null, span.end, way);
    }
  }

  private target(target: Expression, value: Expression, part: number | null, at: number, way: Way): void {
    if (target.kind === 'name') this.bind(target.name, { at, way, to: { kind: 'value', value, part } });
    else if (target.kind === 'list' && part === null) {
      target.items.forEach((item, index) => this.target(item, value, index, at, way));
    } else if (target.kind === 'list') for (const item of target.items) this.open(item, at, way);
    else this.attribute(target, value, part, at, way);
  }

  private attribute(target: Expression, value: Expression, part: number | null, at: number, way: Way): void {
    if (target.kind !== 'member' && target.kind !== 'item') return;
    const set = part === null ? setWithin(target, value) : null;
    if (set) this.bind(set.name, { at, way, to: { kind: 'value', value: set.value, part: null } });
    const within: string[] = [];
    let of: Expression = target;
    while (of.kind === 'member' || of.kind === 'item') {
      const key = of.kind === 'member' ? of.name : keyOf(of.index);
      if (key === null) return;
      within.unshift(key);
      of = of.of;
    }
    const attribute = within.pop();
    if (of.kind !== 'name' || attribute === undefined) return;
    const known = this.assigned.get(of.name) ?? [];
    known.push({ at, way, attribute, within, key: target.span, value, part });
    this.assigned.set(of.name, known);
  }

  /** `setattr(name, …)` and `name.update(…)` change what the name stands for. */
  private mutation(value: Expression, at: number, way: Way): void {
    if (value.kind !== 'call') return;
    const { callee, args } = value;
    const [first, second] = args;
    if (callee.kind === 'name' && callee.name === 'setattr' && first?.value.kind === 'name') {
      const attribute = second ? keyOf(second.value) : null;
      if (attribute === null) this.bind(first.value.name, { at, way, to: { kind: 'open' } });
      return;
    }
    if (callee.kind !== 'member' || callee.of.kind !== 'name') return;
    const longer = longerList(value);
    if (longer && this.names.has(callee.of.name)) {
      this.bind(callee.of.name, { at, way, to: { kind: 'value', value: longer, part: null } });
    }
    if (callee.name === 'update') this.updated(value, callee.of, at, way);
    if (callee.name === 'merge_from_file') this.mergedFrom(value, callee.of, at, way);
  }

  /** yacs: the keys of a file lie over the config (yacs/config.py, merge_from_file). */
  private mergedFrom({ span, args: [file], ...rest }: CallExpression, of: Named, at: number, way: Way): void {
    if (!file) return;
    const named = (name: string): Expression => ({
      ...{ kind: 'member', name, span },
      of: { kind: 'member', name: 'OmegaConf', span, of: { kind: 'name', name: 'omegaconf', span } },
    });
    const loaded: Expression = { ...rest, span, callee: named('load'), args: [file] };
    const given = [of, loaded].map(value => ({ ...file, name: null, value }));
    const value: Expression = { ...rest, span, callee: named('merge'), args: given };
    this.bind(of.name, { at, way, to: { kind: 'value', value, part: null } });
  }

  private updated({ span, args }: CallExpression, of: Named, at: number, way: Way): void {
    const entries = [of, ...args.map(arg => arg.value)].map(one => ({ key: null, value: one }));
    const isPlain = args.every(arg => arg.name === null && arg.stars === 0);
    const to = isPlain
      ? ({ kind: 'value', value: { kind: 'dict', span, entries }, part: null } as const)
      : ({ kind: 'open' } as const);
    if (this.names.has(of.name)) this.bind(of.name, { at, way, to });
  }

  private open(target: Expression, at: number, way: Way): void {
    if (target.kind === 'name') this.bind(target.name, { at, way, to: { kind: 'open' } });
    if (target.kind === 'list') for (const item of target.items) this.open(item, at, way);
  }

  private bind(name: string, binding: Binding): void {
    const known = this.names.get(name) ?? [];
    known.push(binding);
    this.names.set(name, known);
  }
}

type Named = Extract<Expression, { kind: 'name' }>;
type Loop = Extract<Statement, { kind: 'loop' }>;

/** `words.append(one)` and `words.extend(more)`: what the name stands for then; null: another call. */
function longerList({ callee, args, span }: CallExpression): Expression | null {
  const [first, ...others] = args;
  if (callee.kind !== 'member' || !first || others.length > 0) return null;
  const { of: left, name } = callee;
  if (name !== 'append' && name !== 'extend') return null;
  const one = first.value;
  const right: Expression = name === 'extend' ? one : { kind: 'list', span: one.span, items: [one] };
  return { kind: 'binary', span, operator: '+', left, right };
}

const keyOf = (index: Expression): string | null =>
  index.kind === 'constant' && typeof index.value === 'string' ? index.value : null;

/** The branches around a position of a scope. */
export function wayOf(position: number, scope: Scope): Way {
  let way: Way = [];
  for (const step of scope.steps) {
    if (step.statement.span.start > position) break;
    if (step.statement.span.end >= position && step.way.length >= way.length) way = step.way;
  }
  return way;
}

/** The scope of a function among those of a program. */
export function scopeNamed(scope: Scope, of: FunctionStatement): Scope | null {
  for (const inner of scope.inner) {
    const found = inner.of === of ? inner : scopeNamed(inner, of);
    if (found) return found;
  }
  return null;
}

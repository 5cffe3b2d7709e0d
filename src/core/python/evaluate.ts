import type { Span } from '../text/span';
import { scopeNamed, wayOf } from './bindings';
import type { Assigned, Binding, Way } from './bindings';
import { builtInCall, foundInModel } from './builtIns';
import { Classes } from './classes';
import { dictionaryOf, joinedText } from './compound';
import { argparseFields, optionNamed } from './commandLine';
import type { Added, CommandLine } from './given';
import { fromElsewhere } from './elsewhere';
import { Found } from './frame';
import type { Evaluation, Frame } from './frame';
import { methodOf, pathPart } from './methods';
import { attributeOfCall, isOfSignature } from './signatures';
import type { Modules } from './modules';
import { dataclassesOf } from './parsedClasses';
import { truth } from './operators';
import type { CallExpression, ClassStatement, Expression, FunctionStatement } from './syntax';
import type { Argument, Call, Value } from './value';
import { agreed, combined, itemOf, ofOne, open, partOf, same, scalar, withAssigned } from './values';

/** Steps for one program, which needs hundreds. */
const [MOST_STEPS, DEEPEST] = [30_000, 40];

/** Methods that return their object. */
const SAME = /^(?:to|cuda|cpu|eval|float|half|bfloat16|parse|requires_grad_)$/;

/** Functions that return the model that they are given. */
const PASSES =
  /(?:\.for_training|\.for_inference|^torch\.compile|\.prepare_model|^accelerate\.Accelerator\(\)\.prepare)$/;

/** Evaluates expressions of one program without running it. What is not certain is open. */
export class Evaluator implements Evaluation {
  private readonly classes: Classes;
  private steps = 0;
  private depth = 0;
  /** Options of argparse, once they are asked for. */
  added: readonly Added[] | null = null;
  private readonly calls = new Found<CallExpression>();
  private readonly meanings = new Found<Binding>();

  /** Of other files of the project; null: only this file is known. */
  constructor(
    readonly module: Frame,
    private readonly path = '',
    private readonly modules: Modules | null = null,
    /** Null: it may be started in any way. */
    readonly commandLine: CommandLine | null = null,
  ) {
    this.classes = new Classes(module, (expression, frame) => this.of(expression, frame));
  }

  of(expression: Expression, frame: Frame): Value {
    if (++this.steps > MOST_STEPS || this.depth >= DEEPEST) return open(expression.span);
    this.depth++;
    try {
      return this.evaluated(expression, frame);
    } finally {
      this.depth--;
    }
  }

  /** A name as it is used at a position. */
  lookup(name: string, use: Span, frame: Frame): Value {
    const found = this.bound(name, use, frame, use.start);
    if (found) return { ...this.changed(found, name, use, frame), span: use };
    if (name === '__file__' && this.path !== '') return scalar(use, this.path);
    for (const star of this.module.scope.stars) {
      const imported = this.modules?.imported(`${star}.${name}`, this.path, use);
      if (imported) return imported;
    }
    const star = frame.scope.stars[0] ?? this.module.scope.stars[0];
    const isClass = /^[A-Z]/.test(name);
    return { kind: 'name', span: use, name: star !== undefined && isClass ? `${star}.${name}` : name };
  }

  exported(name: string): Value | null {
    const end = { start: Infinity, end: Infinity };
    const found = this.bound(name, end, this.module, Infinity);
    return found && this.changed(found, name, end, this.module);
  }

  resultOf(of: FunctionStatement, args: readonly Argument[], span: Span): Value {
    return foundInModel(of.name, this.result(of, this.frameOf(of, args, span), span));
  }

  attributeOf(of: ClassStatement, name: string, span: Span): Value {
    return this.classes.attribute(of, name, span);
  }

  baseOf(of: ClassStatement): string {
    return this.classes.baseOf(of);
  }

  /** Whether a place is reached when `use` is: null if that is unknown. */
  reached(way: Way, use: Way, frame: Frame): boolean | null {
    const own = way.filter(turn => !use.some(other => other.branch === turn.branch && other.branch !== null));
    const answers = own.map(({ branch, before }) => {
      if (branch === null) return null;
      const tests = [...before.map(test => this.negated(test, frame))];
      if (branch.test) tests.push(this.condition(branch.test, frame));
      if (tests.includes(false)) return false;
      return tests.includes(null) ? null : true;
    });
    if (answers.includes(false)) return false;
    return answers.includes(null) ? null : true;
  }

  /** The result of a function of the program. */
  result(of: FunctionStatement, frame: Frame, span: Span): Value {
    const returns = frame.scope.steps.flatMap(({ statement, way }) =>
      statement.kind === 'return' && statement.value ? [{ value: statement.value, way }] : [],
    );
    const values: Value[] = [];
    for (const { value, way } of returns) {
      const isReached = this.reached(way, [], frame);
      if (isReached === false) continue;
      values.push(this.of(value, frame));
      if (isReached === true) break;
    }
    const [first] = values;
    if (!first || of.body.length === 0) return open(span);
    return values.every(value => same(value, first)) ? { ...first, span } : open(span);
  }

  /** The frame of a function for some arguments. */
  frameOf(of: FunctionStatement, args: readonly Argument[], span: Span, isMethod = false): Frame {
    const scope = scopeNamed(this.module.scope, of) ?? this.module.scope;
    const parameters = new Map<string, () => Value>();
    const own = of.parameters.slice(isMethod ? 1 : 0);
    own.forEach(({ name, byDefault, stars }, position) => {
      const given = args.find(arg => arg.name === name || (arg.name === null && arg.position === position));
      parameters.set(name, () => {
        if (given && stars === 0) return given.value;
        return byDefault && stars === 0 ? this.of(byDefault, this.module) : open(span);
      });
    });
    return { scope, above: this.module, parameters };
  }

  /** A config that Hydra composes, named relative to this program; null: it is not there. */
  composed(file: string, span: Span): Value | null {
    return this.modules?.composed(file, this.path, span) ?? null;
  }

  args(
    call: Pick<CallExpression, 'args' | 'span'>,
    frame: Frame,
  ): { args: readonly Argument[]; open: Span | null } {
    const args: Argument[] = [];
    let unknown: Span | null = null;
    let position = 0;
    for (const { name, stars, keySpan, value } of call.args) {
      const found = this.of(value, frame);
      if (stars === 0) {
        args.push({ name, position: name === null ? position++ : -1, keySpan, value: found, isOwn: true });
      } else if (stars === 2 && found.kind === 'fields') {
        for (const field of found.fields) {
          args.push({ ...field, name: field.key, position: -1, isOwn: false });
        }
      } else if (stars === 1 && found.kind === 'items') {
        for (const item of found.items) {
          args.push({ name: null, position: position++, keySpan, value: item, isOwn: false });
        }
      } else unknown = value.span;
    }
    return { args, open: unknown };
  }

  private evaluated(expression: Expression, frame: Frame): Value {
    const { span } = expression;
    switch (expression.kind) {
      case 'constant':
        return scalar(span, expression.value);
      case 'name':
        return this.lookup(expression.name, span, frame);
      case 'text':
        return joinedText(expression.parts, span, part => this.of(part, frame));
      case 'list':
        return { kind: 'items', span, items: expression.items.map(item => this.of(item, frame)) };
      case 'dict':
        return dictionaryOf(expression, part => this.of(part, frame));
      case 'call':
        return this.call(expression, frame);
      case 'member':
        return this.member(this.of(expression.of, frame), expression.name, span);
      case 'item':
        return itemOf(this.of(expression.of, frame), this.of(expression.index, frame), span);
      case 'unary':
        return ofOne(expression.operator, this.of(expression.of, frame), span);
      case 'binary':
        return this.binary(expression, frame);
      case 'choice':
        return this.choice(expression, frame);
      case 'other':
        return expression.body ? { kind: 'open', span, result: this.of(expression.body, frame) } : open(span);
    }
  }

  /** `a if test else b`; either, if both are the same. */
  private choice(
    { test, then, otherwise, span }: Extract<Expression, { kind: 'choice' }>,
    frame: Frame,
  ): Value {
    const holds = this.condition(test, frame);
    if (holds !== null) return { ...this.of(holds ? then : otherwise, frame), span };
    const [one, other] = [this.of(then, frame), this.of(otherwise, frame)];
    return same(one, other) ? { ...one, span } : open(span);
  }

  /** Whether a condition holds; null if that is unknown. */
  private condition(test: Expression, frame: Frame): boolean | null {
    const value = this.of(test, frame);
    if (value.kind === 'scalar') return truth(value.value);
    if (value.kind === 'items') return value.items.length > 0;
    if (value.kind === 'fields') return value.fields.length > 0;
    return value.kind === 'call' && value.call.derived === null && /^[A-Z]/.test(lastOf(value.call.name))
      ? true
      : null;
  }

  private negated(test: Expression, frame: Frame): boolean | null {
    const holds = this.condition(test, frame);
    return holds === null ? null : !holds;
  }

  private bound(name: string, use: Span, frame: Frame, before: number): Value | null {
    const bindings = frame.scope.names.get(name) ?? [];
    const useWay = before === Infinity ? [] : wayOf(use.start, frame.scope);
    const perhaps: Value[] = [];
    for (const binding of bindings.toReversed()) {
      if (binding.at > before) continue;
      const isReached = this.reached(binding.way, useWay, frame);
      if (isReached === false) continue;
      perhaps.push(this.meanings.of(binding, frame, () => this.meaning(binding, frame)));
      if (isReached === true) return agreed(perhaps, use);
    }
    const given = frame.parameters.get(name);
    if (given) return agreed([...perhaps, given()], use);
    if (perhaps.length > 0) return frame.above || perhaps.length > 1 ? open(use) : agreed(perhaps, use);
    return frame.above ? this.bound(name, use, frame.above, Infinity) : null;
  }

  private meaning({ to, at }: Binding, frame: Frame): Value {
    const span = { start: at, end: at };
    switch (to.kind) {
      case 'module':
        return (
          this.modules?.imported(to.qualified, this.path, span) ?? { kind: 'name', span, name: to.qualified }
        );
      case 'function':
        return { kind: 'function', span, of: to.of };
      case 'class':
        return { kind: 'class', span, of: to.of };
      case 'value': {
        const value = this.of(to.value, frame);
        return to.part === null ? value : partOf(value, to.part);
      }
      case 'open':
        return open(span);
    }
  }

  /** The value after later assignments to its attributes or items. */
  private changed(value: Value, name: string, use: Span, frame: Frame): Value {
    const all = frame.scope.assigned.get(name);
    if (!all || (value.kind !== 'fields' && value.kind !== 'call')) return value;
    const way = wayOf(use.start, frame.scope);
    return all
      .filter(({ at }) => at <= use.start)
      .reduce<Value>((now, one) => {
        const isReached = this.reached(one.way, way, frame);
        return isReached === false ? now : withAssigned(now, one, this.assignedValue(one, isReached, frame));
      }, value);
  }

  private assignedValue({ value }: Assigned, isReached: boolean | null, frame: Frame): Value {
    return isReached === null ? open(value.span) : this.of(value, frame);
  }

  private call(expression: CallExpression, frame: Frame): Value {
    return this.calls.of(expression, frame, () => this.called(expression, frame));
  }

  private called(expression: CallExpression, frame: Frame): Value {
    const { callee, span } = expression;
    const isMethod = callee.kind === 'member';
    const on = isMethod ? this.of(callee.of, frame) : null;
    const target = isMethod && on ? this.member(on, callee.name, callee.span) : this.of(callee, frame);
    if (isMethod && on?.kind === 'call' && SAME.test(callee.name)) return { ...on, span };
    const given = this.args(expression, frame);
    if (target.kind === 'function') {
      const { of, home } = target;
      return home
        ? fromElsewhere(home.resultOf(of, given.args, span), span, home)
        : this.resultOf(of, given.args, span);
    }
    const name = this.nameOf(target, on, callee);
    const simple = isMethod && on ? methodOf(on, callee.name, given.args, span) : null;
    return (
      simple ??
      this.simpleCall(target, on, name, given.args, span) ??
      this.callOf(expression, target, on, { name, ...given })
    );
  }

  /** The call of a function or class that the program does not define itself. */
  private callOf(
    { callee, list, span }: CallExpression,
    target: Value,
    on: Value | null,
    given: Pick<Call, 'name' | 'args' | 'open'>,
  ): Value {
    const derived = target.kind === 'class' ? target.of : null;
    const home = target.kind === 'class' ? target.home : undefined;
    const call: Call = {
      on,
      span,
      nameSpan: callee.span,
      list,
      ...given,
      derived,
      ...(home && { derivedIn: home }),
    };
    return { kind: 'call', span, call, part: 0 };
  }

  private simpleCall(
    target: Value,
    on: Value | null,
    name: string,
    args: readonly Argument[],
    span: Span,
  ): Value | null {
    const [first] = args;
    if (PASSES.test(name) && first && args.length === 1) return { ...first.value, span };
    const parsed = dataclassesOf(name, on, args, span, this);
    if (parsed || target.kind !== 'name') return parsed;
    return (
      builtInCall(name, args, span) ??
      argparseFields(name, args, this) ??
      this.modules?.loaded(name, args, span) ??
      null
    );
  }

  /** The full name of what is called. */
  private nameOf(target: Value, on: Value | null, callee: Expression): string {
    if (target.kind === 'name') return target.name;
    if (target.kind === 'class') return (target.home ?? this).baseOf(target.of);
    if (on?.kind === 'call' && callee.kind === 'member') return `${on.call.name}().${callee.name}`;
    return '';
  }

  private member(of: Value, name: string, span: Span): Value {
    if (of.kind === 'name') {
      const full = `${of.name}.${name}`;
      const option = optionNamed(of.name, name, this);
      return option ?? this.modules?.imported(full, this.path, span) ?? { kind: 'name', span, name: full };
    }
    if (of.kind === 'class') return this.classes.attributeIn(of.home, of.of, name, span);
    if (of.kind === 'fields') {
      const field = of.fields.findLast(({ key }) => key === name);
      return field ? { ...field.value, span } : open(span);
    }
    if (of.kind !== 'call') return pathPart(of, name, span) ?? open(span);
    const stated = of.call.args.findLast(arg => arg.name === name);
    if (stated) return { ...stated.value, span };
    // What is given as `**values` may be this attribute.
    if (of.call.open) return open(span);
    if (of.call.derived) return this.classes.attributeIn(of.call.derivedIn, of.call.derived, name, span);
    return attributeOfCall(of.call, name, span, this) ?? open(span);
  }

  private binary(
    { operator, left, right, span }: Extract<Expression, { kind: 'binary' }>,
    frame: Frame,
  ): Value {
    const one = this.of(left, frame);
    if (operator === 'and' || operator === 'or') {
      if (one.kind !== 'scalar') return open(span);
      const isLeft = truth(one.value) === (operator === 'or');
      return { ...(isLeft ? one : this.of(right, frame)), span };
    }
    const other = this.of(right, frame);
    // `"max_length" in inspect.signature(…).parameters`: releases that lack it name it otherwise in the next branch.
    if (operator === 'in' && isOfSignature(other)) return { kind: 'scalar', span, value: true };
    return combined(operator, one, other, span);
  }
}

const lastOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

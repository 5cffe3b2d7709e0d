import type { Span } from '../text/span';
import { scopeNamed, wayOf } from './bindings';
import type { Assigned, Binding, Scope, Way } from './bindings';
import { foundInModel } from './builtIns';
import { keyOfDictionary, validatedAs } from './attributes';
import { Classes } from './classes';
import { comprehended } from './comprehensions';
import { dictionaryOf, joinedText } from './compound';
import { addedOptions, optionNamed, parsedBy, returnedBy } from './commandLine';
import type { CommandLine } from './given';
import { fromElsewhere } from './elsewhere';
import { Found } from './frame';
import type { Evaluation, Frame, Given, KnownObjects } from './frame';
import { Frames } from './frames';
import { attributeGiven, resultInClass, resultOfClassMethod, resultOfMethod } from './objects';
import { methodOf, pathPart } from './methods';
import { combinedIn, truthOf } from './combinations';
import { attributeOfCall } from './signatures';
import type { Modules } from './modules';
import { namedFields } from './parsedClasses';
import { partOfCall } from './partial';
import { calledName, simpleCall } from './simpleCalls';
import type { CallExpression, ClassStatement, Expression, FunctionStatement } from './syntax';
import type { Added, Argument, Call, Value } from './value';
import { agreed, itemOf, ofOne, open, partOf, same, scalar, withAssigned } from './values';

/** Steps for one program, which needs hundreds. */
const [MOST_STEPS, DEEPEST] = [30_000, 40];

/** Methods that return their object. */
const SAME = /^(?:to|cuda|cpu|eval|float|half|bfloat16|parse|requires_grad_)$/;

/** Evaluates expressions of one program without running it. What is not certain is open. */
export class Evaluator implements Evaluation {
  private readonly classes: Classes;
  private steps = 0;
  private depth = 0;
  /** Options of argparse, once they are asked for. */
  added: readonly Added[] | null = null;
  private readonly calls = new Found<CallExpression>();
  private readonly meanings = new Found<Binding>();
  readonly frames = new Frames(this);
  readonly objects: KnownObjects = { attributes: new WeakMap(), frames: new WeakMap() };

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
    // What methods give `self` is looked up where it is asked for.
    if (found && name === 'self') return { ...found, span: use };
    if (found) return { ...this.changed(found, name, use, frame), span: use };
    if (name === '__file__' && this.path !== '') return scalar(use, this.path);
    const imported = this.starred(name, use);
    if (imported) return imported;
    const star = frame.scope.stars[0] ?? this.module.scope.stars[0];
    const isClass = /^[A-Z]/.test(name);
    return { kind: 'name', span: use, name: star !== undefined && isClass ? `${star}.${name}` : name };
  }

  exported(name: string): Value | null {
    const end = { start: Infinity, end: Infinity };
    const found = this.bound(name, end, this.module, Infinity);
    return found ? this.changed(found, name, end, this.module) : this.starred(name, end);
  }

  private starred(name: string, use: Span): Value | null {
    return this.modules?.starred(this.module.scope.stars, name, this.path, use) ?? null;
  }

  resultOf(of: FunctionStatement, given: Given, span: Span): Value {
    return foundInModel(of.name, this.result(of, this.frameOf(of, given, span), span));
  }

  objectAttribute(call: Call, of: ClassStatement, name: string, span: Span): Value | null {
    return attributeGiven(call, of, name, span, this);
  }

  attributeOf(of: ClassStatement, name: string, span: Span): Value {
    return this.classes.attribute(of, name, span);
  }

  baseOf(of: ClassStatement): string {
    return this.classes.baseOf(of);
  }

  natural(scope: Scope): Frame {
    return this.frames.of(scope);
  }

  stated(): readonly Added[] {
    return addedOptions(this);
  }

  /** Whether a place is reached when `use` is: null if that is unknown. */
  reached(way: Way, use: Way, frame: Frame): boolean | null {
    // A turn of a loop binds a name before it uses it.
    const own = way.filter(
      turn =>
        !use.some(({ branch, loop }) => branch === turn.branch && loop === turn.loop && (branch ?? loop)),
    );
    const answers = own.map(({ branch, before }) => {
      if (branch === null) return null;
      const tests = before
        .map(test => this.condition(test, frame))
        .map(holds => (holds === null ? null : !holds));
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

  /** The frame of a function for some arguments, and of a method of an object. */
  frameOf(of: FunctionStatement, given: Given, span: Span, object: Value | null = null): Frame {
    const scope = scopeNamed(this.module.scope, of) ?? this.module.scope;
    const parameters = new Map(this.frames.parameters(of, () => [given], span));
    const [self] = of.parameters;
    if (object && self) parameters.set(self.name, () => object);
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
        return combinedIn(expression, part => this.of(part, frame));
      case 'choice':
        return this.choice(expression, frame);
      case 'comprehension':
        return comprehended(expression, frame, this);
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
  condition(test: Expression, frame: Frame): boolean | null {
    const value = this.of(test, frame);
    if (value.kind === 'open' && value.isUnset) return false;
    const isObject = value.kind === 'call' && value.call.derived === null;
    return isObject && /(?:^|\.)[A-Z][^.]*$/.test(value.call.name) ? true : truthOf(value);
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
    const end = { start: Infinity, end: Infinity };
    const found = frame.above && this.bound(name, use, frame.above, Infinity);
    return found && this.changed(found, name, end, frame.above);
  }

  private meaning({ to, at }: Binding, frame: Frame): Value {
    const span = { start: at, end: at };
    switch (to.kind) {
      case 'module': {
        const name = to.qualified;
        return this.modules?.imported(name, this.path, span) ?? { kind: 'name', span, name };
      }
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

  private assignedValue({ value, part }: Assigned, isReached: boolean | null, frame: Frame): Value {
    if (isReached === null) return open(value.span);
    return part === null ? this.of(value, frame) : partOf(this.of(value, frame), part);
  }

  private call(expression: CallExpression, frame: Frame): Value {
    return this.calls.of(expression, frame, () => this.called(expression, frame));
  }

  private called(expression: CallExpression, frame: Frame): Value {
    const { callee, span } = expression;
    if (callee.kind !== 'member') {
      return this.applied(expression, this.of(callee, frame), null, this.args(expression, frame));
    }
    const on = this.of(callee.of, frame);
    if (on.kind === 'call' && SAME.test(callee.name)) return { ...on, span };
    const target = this.member(on, callee.name, callee.span);
    const given = this.args(expression, frame);
    const result = target.kind === 'function' ? null : this.ofMethod(expression, on, callee.name, given);
    return result ?? this.applied(expression, target, on, given);
  }

  /** What a method of a known value or of an object of the program returns; null: not known. */
  private ofMethod(expression: CallExpression, on: Value, name: string, given: Given): Value | null {
    const { span } = expression;
    if (on.kind === 'call') {
      const own = this.methodResult(on.call, name, given, span);
      return own?.kind === 'open' ? null : own;
    }
    if (on.kind === 'class') {
      const validated = validatedAs(on, name, given.args);
      if (!validated) return resultOfClassMethod(on, name, given, span, this);
      return this.callOf(expression, on, null, validated);
    }
    const asked = on.kind === 'scalar' ? this.modules?.asked(`.${name}`, on, given.args, span) : null;
    return methodOf(on, name, given.args, span) ?? asked ?? null;
  }

  private applied(expression: CallExpression, target: Value, on: Value | null, given: Given): Value {
    const { callee, span } = expression;
    const partial = partOfCall(target, given);
    if (partial) return this.applied(expression, partial.target, null, partial.given);
    if (target.kind === 'function') {
      const { of, home } = target;
      return home ? returnedBy(home, home.resultOf(of, given, span), span) : this.resultOf(of, given, span);
    }
    const name = calledName(target, on, callee, this);
    const call = { name, on, args: given.args, span };
    return (
      simpleCall(target, call, this, this.modules) ?? this.callOf(expression, target, on, { name, ...given })
    );
  }

  methodResult(call: Call, name: string, given: Given, span: Span): Value | null {
    return resultOfMethod(call, name, given, span, this);
  }

  classResult(of: ClassStatement, name: string, given: Given, span: Span, made = of): Value | null {
    return resultInClass(of, name, given, span, made, this);
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
    const own = { derived, ...(home && { derivedIn: home }) };
    const filled = derived ? namedFields(derived, given) : given;
    const call: Call = { on, span, nameSpan: callee.span, list, ...filled, ...own };
    return { kind: 'call', span, call: parsedBy(call, this), part: 0 };
  }

  member(of: Value, name: string, span: Span): Value {
    if (of.kind === 'name') {
      const full = `${of.name}.${name}`;
      const known = optionNamed(of.name, name, this) ?? this.modules?.imported(full, this.path, span);
      return known ?? { kind: 'name', span, name: full };
    }
    if (of.kind === 'class') return this.classes.attributeIn(of.home, of.of, name, span);
    if (of.kind === 'fields') {
      const field = of.fields.findLast(({ key }) => key === name);
      return field ? { ...field.value, span } : open(span);
    }
    if (of.kind !== 'call') return pathPart(of, name, span) ?? open(span);
    return this.attributeOfObject(of.call, name, span);
  }

  private attributeOfObject(call: Call, name: string, span: Span): Value {
    const own = keyOfDictionary(call, name, span, this) ?? this.ownAttribute(call, name, span);
    if (own) return own;
    const stated = call.args.findLast(arg => arg.name === name);
    if (stated) return { ...stated.value, span };
    // What is given as `**values` may be this attribute.
    if (call.open) return open(span);
    if (call.derived) return this.classes.attributeIn(call.derivedIn, call.derived, name, span);
    return attributeOfCall(call, name, span, this) ?? open(span);
  }

  /** What the methods of an object's class give it. */
  private ownAttribute(call: Call, name: string, span: Span): Value | null {
    const { derived, derivedIn } = call;
    const value = derived && (derivedIn ?? this).objectAttribute(call, derived, name, span);
    return value && derivedIn ? fromElsewhere(value, span, derivedIn) : value;
  }
}

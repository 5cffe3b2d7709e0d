import type { Span } from '../text/span';
import type { Scope, Way } from './bindings';
import { decoratedArguments } from './decorated';
import { dataOf } from './elsewhere';
import type { Evaluation, Frame, Given } from './frame';
import type { CommandLine } from './given';
import { startedByFlags } from './parsedClasses';
import { laterCall } from './partial';
import type { CallExpression, ClassStatement, FunctionStatement } from './syntax';
import type { Argument, Value } from './value';
import { agreed, madeOf, open, same } from './values';
import { callsIn, handsOn, partsOf } from './wanted';

/** A call in a program, with the scope that it stands in. */
interface Calling {
  readonly expression: CallExpression;
  readonly scope: Scope;
  readonly way: Way;
}

/** More calls of one function are not compared. */
const MOST_CALLS = 6;

/**
 * The functions of one program as it runs them: their parameters are what all calls of the program agree on. A function
 * that nothing calls has its defaults.
 */
export class Frames {
  private readonly known = new Map<Scope, Frame>();
  /** Calls in other files of the project. */
  private readonly outside = new Map<FunctionStatement | ClassStatement, Map<CallExpression, Given>>();

  private readonly called = new Map<Scope, boolean | null>();
  private read: Calls | null = null;

  constructor(private readonly evaluator: Evaluation) {}

  private calls(): Calls {
    this.read ??= readCalls(this.evaluator.module.scope);
    return this.read;
  }

  of(scope: Scope): Frame {
    const { module } = this.evaluator;
    if (scope === module.scope) return module;
    const known = this.known.get(scope);
    if (known) return known;
    const frame: Frame = {
      scope,
      above: scope.above ? this.of(scope.above) : module,
      parameters: scope.of ? this.parametersOf(scope.of) : new Map(),
    };
    this.known.set(scope, frame);
    return frame;
  }

  /** True for a function that the program starts with the flags of the command. */
  isStarted({ name }: FunctionStatement): boolean {
    return this.calls().started.has(name);
  }

  /**
   * False for a function that the program calls only where a test is known not to hold: `if args.dpo: train_dpo()`.
   * Null: nothing calls it, but another program may.
   */
  isCalled(scope: Scope): boolean | null {
    const known = this.called.get(scope);
    if (known !== undefined) return known;
    // A function that calls itself is called as the others call it.
    this.called.set(scope, true);
    const isCalled = this.isCalledSomewhere(scope);
    this.called.set(scope, isCalled);
    return isCalled;
  }

  private isCalledSomewhere({ of, above }: Scope): boolean | null {
    const around = of === null || above === null ? true : this.isCalled(above);
    if (of === null || around !== true) return around;
    const calls = (this.calls().byName.get(of.name) ?? []).filter(
      ({ scope, expression: { callee } }) => scope.of !== of && callee.kind === 'name',
    );
    const made = calls.map(({ scope, way }) =>
      this.evaluator.reached(way, [], this.of(scope)) === false ? false : this.isCalled(scope),
    );
    if (made.includes(true) || this.classOf(of) !== null || this.outside.has(of)) return true;
    if (isHandedOn(this.evaluator.module.scope, of.name)) return true;
    return made.length === 0 || made.includes(null) ? null : false;
  }

  /** Notes a call that another file makes. */
  calledFrom(of: FunctionStatement | ClassStatement, expression: CallExpression, given: Given): void {
    if (this.outside.get(of)?.has(expression) === true) return;
    this.outside.set(of, new Map(this.outside.get(of)).set(expression, given));
    // What was found without this call no longer holds.
    this.known.clear();
    this.called.clear();
  }

  /** A function for some arguments. */
  parameters(of: FunctionStatement, calls: () => readonly Given[], span: Span): Frame['parameters'] {
    const own = this.classOf(of);
    const parameters = new Map<string, () => Value>();
    const [first] = of.parameters;
    if (own && first) {
      const self = once(() => this.objectOf(own));
      parameters.set(first.name, self);
    }
    of.parameters.slice(own ? 1 : 0).forEach(({ name, byDefault, stars }, position) => {
      const valueFor = ({ args, open: rest }: Given): Value => {
        const given = args.find(arg => arg.name === name || (arg.name === null && arg.position === position));
        if (given && stars === 0) return given.value;
        if (!byDefault || stars > 0 || rest) return open(span);
        return this.evaluator.of(byDefault, this.evaluator.module);
      };
      parameters.set(
        name,
        once(() => agreed(calls().map(valueFor), span)),
      );
    });
    return parameters;
  }

  private parametersOf(of: FunctionStatement): Frame['parameters'] {
    const { evaluator } = this;
    const { commandLine } = evaluator;
    const decorated = decoratedArguments(of, evaluator);
    const flags = this.isStarted(of) ? commandLine?.flags : undefined;
    const args = decorated ?? (flags && argumentsOf(flags, of.span));
    const calls = once(() => (args ? [{ args, open: null }] : this.callsOf(of)));
    return this.parameters(of, calls, of.span);
  }

  private callsOf(of: FunctionStatement): readonly Given[] {
    const own = this.classOf(of);
    const isMade = own !== null && of.name === '__init__';
    const outside = this.outsideOf(isMade ? own : of);
    // Its own file may call it for other programs.
    if (outside.length > 0) return outside;
    const calls = (this.calls().byName.get(isMade ? own.name : of.name) ?? [])
      .filter(({ scope }) => scope.of !== of)
      .filter(({ expression: { callee } }) => (callee.kind === 'member') === (own !== null && !isMade));
    const given = calls
      .slice(0, MOST_CALLS)
      .filter(({ expression: { callee }, scope }) => {
        if (callee.kind !== 'member') return true;
        const on = this.evaluator.of(callee.of, this.of(scope));
        return on.kind === 'call' && on.call.derived === own;
      })
      .map(({ expression, scope }) => this.evaluator.args(expression, this.of(scope)));
    return given.length > 0 ? given : [{ args: [], open: null }];
  }

  private outsideOf(of: FunctionStatement | ClassStatement): readonly Given[] {
    return [...(this.outside.get(of)?.values() ?? [])];
  }

  /** What a method's `self` is: the object that the program makes. */
  private objectOf(of: ClassStatement): Value {
    const object = madeOf({ kind: 'class', span: of.span, of });
    const outside = this.outsideOf(of).map(given => ({ ...object, call: { ...object.call, ...given } }));
    const calls = this.calls().byName.get(of.name) ?? [];
    const made =
      outside.length > 0
        ? outside
        : calls
            .slice(0, MOST_CALLS)
            .map(({ expression, scope }) => this.evaluator.of(expression, this.of(scope)))
            .filter(value => value.kind === 'call' && value.call.derived === of);
    const [only, ...others] = made;
    // Made alike in two branches, it is either.
    if (only) return others.every(one => madeAlike(one, only)) ? only : object;
    // Who makes it, and with which arguments, another file says.
    return { ...object, call: { ...object.call, open: of.span } };
  }

  /** The class that a function is a method of. */
  private classOf(of: FunctionStatement): ClassStatement | null {
    const own = this.calls().methods.get(of) ?? null;
    return of.decorators.some(({ name }) => name === 'staticmethod' || name === 'classmethod') ? null : own;
  }
}

const madeAlike = (one: Value, other: Value): boolean =>
  one.kind === 'call' &&
  other.kind === 'call' &&
  one.call.open === null &&
  one.call.args.length === other.call.args.length &&
  one.call.args.every(({ name, value }, at) => {
    const counterpart = other.call.args[at];
    return counterpart?.name === name && same(counterpart.value, value);
  });

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

/** The calls of a program by the last names that they call, its methods, and the functions that a command starts. */
interface Calls {
  readonly byName: ReadonlyMap<string, readonly Calling[]>;
  readonly methods: ReadonlyMap<FunctionStatement, ClassStatement>;
  readonly started: ReadonlySet<string>;
}

function readCalls(module: Scope): Calls {
  const byName = new Map<string, Calling[]>();
  const methods = new Map<FunctionStatement, ClassStatement>();
  const started = new Set<string>();
  const visit = (scope: Scope): void => {
    for (const { statement, way } of scope.steps) {
      if (statement.kind === 'class') {
        for (const one of statement.body) if (one.kind === 'function') methods.set(one, statement);
      }
      const value = statement.kind === 'expression' ? statement.value : null;
      const start = value?.kind === 'call' ? startedByFlags(value) : null;
      if (start !== null) started.add(start);
      for (const call of callsIn(statement)) {
        for (const { expression, name } of [call, laterCall(call.expression, call.name)].flatMap(
          one => one ?? [],
        )) {
          const known = byName.get(name) ?? [];
          if (name !== '') byName.set(name, known);
          known.push({ expression, scope, way });
        }
      }
    }
    scope.inner.forEach(visit);
  };
  visit(module);
  return { byName, methods, started };
}

/** A function that gets another name, or that others get, may be called by it. */
const isHandedOn = ({ steps, inner }: Scope, name: string): boolean =>
  steps.some(({ statement }) => partsOf(statement).some(value => handsOn(value, name))) ||
  inner.some(scope => isHandedOn(scope, name));

const argumentsOf = (flags: CommandLine['flags'], span: Span): readonly Argument[] =>
  [...flags].map(([name, node]) => ({
    name,
    position: -1,
    keySpan: span,
    value: dataOf(node, span),
    isOwn: false,
    isElsewhere: true,
  }));

import type { Span } from '../text/span';
import { scopeNamed } from './bindings';
import type { Scope, Way } from './bindings';
import { fromElsewhere } from './elsewhere';
import { Evaluator } from './evaluate';
import type { Frame } from './frame';
import { classOptions } from './parsedClasses';
import type { CallExpression, ClassStatement, Expression, FunctionStatement, Statement } from './syntax';
import type { Argument, Call, Option, Value } from './value';
import { fieldDefault } from './values';
import { callsIn, mentions, methodOn, partsOf, usesOf } from './wanted';

/** A call of a program, with what is done with its result. */
export interface FoundCall {
  readonly call: Call;
  /** The name that the result gets. */
  readonly boundTo: string | null;
  /** It stands in a function, and the function returns its result. */
  readonly isReturned: boolean;
  /** It stands in a function of the program. */
  readonly inFunction: boolean;
  /** False: its function is called only where a test is known not to hold; null: nothing calls it. */
  readonly isCalled: boolean | null;
  /** Methods that are called on the result, and functions that get it. */
  readonly uses: readonly string[];
}

/** What a program does with the result of a call: `pipe(…)`, `pipe.to("cuda")`. */
export interface UsingCall extends BesideCall {
  /** The method; `__call__` if the result itself is called. */
  readonly method: string;
  readonly span: Span;
  /** The parentheses with all arguments. */
  readonly list: Span;
}

/** A call that is read without knowing what is called. */
export interface BesideCall {
  /** What is called, with its dots; '' for the result of another call. */
  readonly name: string;
  readonly nameSpan: Span;
  /** Names in its `dataset` or its first argument. */
  readonly first: string;
  readonly args: readonly Argument[];
  /** Null: only the run knows whether it is made. */
  readonly isReached: boolean | null;
  /** It stands in a function, whose place says nothing of when it is made. */
  readonly inFunction: boolean;
  /** The name that the result gets. */
  readonly boundTo: string | null;
}

interface Place {
  readonly expression: CallExpression;
  readonly frame: Frame;
  readonly way: Way;
  readonly boundTo: string | null;
  readonly isReturned: boolean;
  /** The call's result is used at once: `Trainer(…).train()`. */
  readonly uses: readonly string[];
}

/** Finds the calls of a program whose names are wanted. */
export class CallFinder {
  constructor(
    private readonly evaluator: Evaluator,
    private readonly isWanted: (lastName: string) => boolean,
  ) {}

  all(): readonly FoundCall[] {
    const { module } = this.evaluator;
    return this.inFrame(module).flatMap(place => this.found(place) ?? []);
  }

  /** The fields of classes that parsers make their options of. */
  classes(): readonly Option[] {
    return this.inFrame(this.evaluator.module).flatMap(({ expression, frame }) => {
      const { callee, span } = expression;
      const on = callee.kind === 'member' ? this.evaluator.of(callee.of, frame) : null;
      const { args } = this.evaluator.args(expression, frame);
      return classOptions({ callee, span, on, args }, this.evaluator);
    });
  }

  besides(): readonly BesideCall[] {
    const { module } = this.evaluator;
    return this.calledIn(module);
  }

  private beside({ expression, frame, boundTo }: Place): Omit<BesideCall, 'isReached'> {
    const { callee } = expression;
    const { args } = this.evaluator.args(expression, frame);
    const data = expression.args.find(({ name }) => name === 'dataset') ?? expression.args[0];
    const target = callee.kind === 'name' ? this.evaluator.of(callee, frame) : null;
    return {
      name: target?.kind === 'name' ? target.name : dotted(callee),
      nameSpan: callee.span,
      first: data ? dotted(data.value) : '',
      args,
      inFunction: frame !== this.evaluator.module,
      boundTo,
    };
  }

  /** Calls in functions and classes of other files of the project that this one calls. */
  elsewhere(reached: readonly ReachedFrame[]): readonly BesideCall[] {
    return reached.flatMap(({ home, frame, at, isReached }) =>
      new CallFinder(home, this.isWanted).calledIn(frame).map(call => ({
        ...call,
        nameSpan: at,
        args: call.args.map(arg => ({ ...movedTo(at, arg, home) })),
        isReached: isReached === true ? call.isReached : null,
      })),
    );
  }

  /** The same with what is done with their results there. */
  allElsewhere(reached: readonly ReachedFrame[]): readonly FoundCall[] {
    return reached.flatMap(({ home, frame, at, isReached }) => {
      const finder = new CallFinder(home, this.isWanted);
      return isReached === false
        ? []
        : finder.inFrame(frame).flatMap(place => {
            const found = finder.found(place);
            const moved = found && fromElsewhere(calling(found.call), at, home);
            return found && moved?.kind === 'call' ? [{ ...found, call: moved.call, inFunction: true }] : [];
          });
    });
  }

  private calledIn(frame: Frame): readonly BesideCall[] {
    return this.inFrame(frame, true).flatMap(place => {
      // A loop has a first turn: over folds, seeds or epochs.
      const way = place.way.filter(({ loop }) => loop === undefined);
      const isReached = this.evaluator.reached(way, [], place.frame);
      return isReached === false ? [] : [{ ...this.beside(place), isReached }];
    });
  }

  assigned(isWanted: (name: string) => boolean): readonly Option[] {
    return this.frames(this.evaluator.module)
      .flatMap(frame => frame.scope.steps.flatMap(step => this.assignedBy(step, frame)))
      .filter(({ name }) => isWanted(name));
  }

  private assignedBy({ statement, way }: Scope['steps'][number], frame: Frame): readonly Option[] {
    if (statement.kind === 'class' && SETTINGS.test(statement.name)) {
      return statement.body.flatMap(one => this.assignedBy({ statement: one, way }, frame));
    }
    const target = statement.kind === 'assign' ? statement.targets[0] : undefined;
    if (statement.kind !== 'assign' || (target?.kind !== 'name' && target?.kind !== 'member')) return [];
    if (this.evaluator.reached(way, [], frame) === false) return [];
    const value = fieldDefault(this.evaluator.of(statement.value, frame));
    const isTable = value.kind === 'fields' && SETTINGS.test(target.name);
    return isTable
      ? value.fields.map(one => ({ name: one.key, value: one.value }))
      : [{ name: target.name, value }];
  }

  private frames(frame: Frame): readonly Frame[] {
    return [frame, ...frame.scope.inner.flatMap(scope => this.frames(this.evaluator.frames.of(scope)))];
  }

  using({ boundTo, call }: FoundCall, until?: number): readonly UsingCall[] {
    const { module } = this.evaluator;
    const isBetween = ({ start, end }: Span): boolean =>
      until === undefined || (end > call.span.start && start < until);
    return this.inFrame(module, true).flatMap(place => {
      const { expression, frame, way } = place;
      const method = isBetween(expression.span) ? methodOn(expression, boundTo, call.span) : null;
      const isReached = method === null ? false : this.evaluator.reached(way, [], frame);
      if (method === null || isReached === false) return [];
      const { span, list } = expression;
      return [{ method, span, list, ...this.beside(place), isReached, boundTo: null }];
    });
  }

  /** A function in another, which it sees the names of. */
  private innerOf(scope: Scope, above: Frame): Frame {
    const own = this.evaluator.frames.of(scope);
    return own.above === above ? own : { ...own, above };
  }

  inFrame(frame: Frame, inLambdas = false): readonly Place[] {
    const own = frame.scope.steps.flatMap(({ statement, way }) => {
      const found = callsIn(statement, inLambdas).filter(({ name }) => this.isWanted(name));
      if (found.length === 0) return [];
      const target = statement.kind === 'assign' ? statement.targets[0] : undefined;
      const boundTo =
        target?.kind === 'name' ? target.name : target?.kind === 'member' ? `.${target.name}` : null;
      return found.map(({ expression, uses, isWhole }) => ({
        expression,
        frame,
        way,
        uses,
        boundTo: isWhole ? boundTo : null,
        isReturned: isWhole && statement.kind === 'return',
      }));
    });
    return [
      ...own,
      ...frame.scope.inner.flatMap(scope => this.inFrame(this.innerOf(scope, frame), inLambdas)),
    ];
  }

  private found(place: Place): FoundCall | null {
    const { expression, frame, way, boundTo } = place;
    if (this.evaluator.reached(way, [], frame) === false) return null;
    const value: Value = this.evaluator.of(expression, frame);
    if (value.kind !== 'call') return null;
    // Other methods use what one of them has bound to `self`.
    const scope = boundTo?.startsWith('.') === true ? this.evaluator.module.scope : frame.scope;
    const uses = [...place.uses, ...(boundTo === null ? [] : usesOf(boundTo, scope))];
    const inFunction = frame !== this.evaluator.module;
    const returnsName =
      boundTo !== null &&
      frame.scope.steps.some(
        ({ statement }) =>
          statement.kind === 'return' && partsOf(statement).some(value => mentions(value, boundTo)),
      );
    return {
      call: value.call,
      boundTo,
      isReturned: inFunction && (place.isReturned || returnsName),
      inFunction,
      isCalled: this.evaluator.frames.isCalled(frame.scope),
      uses,
    };
  }
}

/** Files behind each other whose functions a program calls. */
const DEEPEST = 4;

const isFunction = (statement: Statement): statement is FunctionStatement => statement.kind === 'function';

/** A name with its dots; '' for what is no name. */
function dotted(expression: Expression): string {
  if (expression.kind === 'name') return expression.name;
  if (expression.kind !== 'member') return '';
  const of = dotted(expression.of);
  return of === '' ? expression.name : `${of}.${expression.name}`;
}

const calling = (call: Call): Value => ({ kind: 'call', span: call.span, call, part: 0 });

/** A value of another file, where this one calls its function. */
const movedTo = (span: Span, arg: Argument, home: Evaluator): Argument => ({
  ...arg,
  keySpan: span,
  value: fromElsewhere(arg.value, span, home),
  isOwn: false,
  isElsewhere: true,
});

/** A function of another file, at the place that calls it. */
export interface ReachedFrame {
  readonly home: Evaluator;
  readonly frame: Frame;
  readonly at: Span;
  readonly isReached: boolean | null;
}

/** The functions of other files that a program calls, and those that they call. */
export function reachedFrom(evaluator: Evaluator): readonly ReachedFrame[] {
  // What a function is given is known once all its calls are.
  reachedNow(evaluator);
  return reachedNow(evaluator);
}

function reachedNow(evaluator: Evaluator): readonly ReachedFrame[] {
  const all: ReachedFrame[] = [];
  const seen = new Set<FunctionStatement>();
  const { module } = evaluator;
  let around = calledBy({ home: evaluator, frame: module, at: null, isReached: true }, seen);
  for (let depth = 1; depth < DEEPEST && around.length > 0; depth++) {
    all.push(...around);
    around = around.flatMap(one => calledBy(one, seen));
    all.push(...around);
  }
  return all;
}

/** The functions that one calls, and the methods of classes that it makes objects of. */
function calledBy(
  from: Omit<ReachedFrame, 'at'> & { readonly at: Span | null },
  seen: Set<FunctionStatement>,
): readonly ReachedFrame[] {
  const finder = new CallFinder(from.home, () => true);
  return finder.inFrame(from.frame).flatMap(({ expression, frame, way }) => {
    const { callee } = expression;
    const target = dotted(callee) === '' ? null : from.home.of(callee, frame);
    if (target?.kind !== 'function' && target?.kind !== 'class') return [];
    const isReached = from.home.reached(way, [], frame);
    if (isReached === false) return [];
    const given = from.home.args(expression, frame);
    return definedBy(target, from.home).flatMap(({ home, of, functions }) => {
      // Of this file, all functions are looked at anyway.
      if (home === from.home && from.at === null) return [];
      if (of === target.of) home.frames.calledFrom(of, expression, given);
      return functions
        .filter(one => !seen.has(one))
        .flatMap(one => {
          seen.add(one);
          const scope = scopeNamed(home.module.scope, one);
          const at = from.at ?? callee.span;
          const answer = from.isReached === true ? isReached : null;
          return scope ? [{ home, frame: home.frames.of(scope), at, isReached: answer }] : [];
        });
    });
  });
}

/** Classes that are derived from each other. */
const MOST_BASES = 4;

interface Defined {
  readonly home: Evaluator;
  readonly of: FunctionStatement | ClassStatement;
  readonly functions: readonly FunctionStatement[];
}

/** A function; of a class its methods, and those of the classes of the project that it is derived from. */
function definedBy(
  target: Extract<Value, { kind: 'function' | 'class' }>,
  near: Evaluator,
): readonly Defined[] {
  const all: Defined[] = [];
  let found: Value | undefined = target;
  for (let home = near; all.length < MOST_BASES && (found?.kind === 'function' || found?.kind === 'class');) {
    if (found.home !== undefined && !(found.home instanceof Evaluator)) break;
    home = found.home ?? home;
    if (found.kind === 'function') return [{ home, of: found.of, functions: [found.of] }];
    all.push({ home, of: found.of, functions: found.of.body.filter(isFunction) });
    const [base]: readonly Expression[] = found.of.bases;
    found = base && home.of(base, home.module);
  }
  return all;
}

/** Names of classes and tables that hold what a run is told. */
const SETTINGS = /conf(?:ig)?|cfg|settings|hyper|param|args/i;

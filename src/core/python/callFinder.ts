import type { Span } from '../text/span';
import type { Scope, Way } from './bindings';
import { decoratedArguments } from './decorated';
import { dataOf, fromElsewhere } from './elsewhere';
import { Evaluator } from './evaluate';
import type { Frame } from './frame';
import type { CommandLine, Option } from './given';
import { classOptions, startedByFlags } from './parsedClasses';
import type { CallExpression, Expression, FunctionStatement, Statement } from './syntax';
import type { Argument, Call, Value } from './value';
import { fieldDefault } from './values';
import { mentions, methodOn, partsOf, usesOf, wantedIn } from './wanted';

/** A call of a program, with what is done with its result. */
export interface FoundCall {
  readonly call: Call;
  /** The name that the result gets. */
  readonly boundTo: string | null;
  /** It stands in a function, and the function returns its result. */
  readonly isReturned: boolean;
  /** It stands in a function of the program. */
  readonly inFunction: boolean;
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
    return {
      name: dotted(callee),
      nameSpan: callee.span,
      first: data ? dotted(data.value) : '',
      args,
      boundTo,
    };
  }

  /** Calls in functions and classes of other files of the project that this one calls. */
  elsewhere(depth = 0): readonly BesideCall[] {
    return depth < DEEPEST ? this.within([this.evaluator.module], depth) : [];
  }

  private within(frames: readonly Frame[], depth: number): readonly BesideCall[] {
    const all = new CallFinder(this.evaluator, () => true);
    return frames
      .flatMap(frame => all.inFrame(frame))
      .flatMap(({ expression, frame, way }) => {
        const { callee, span } = expression;
        const target = dotted(callee) === '' ? null : this.evaluator.of(callee, frame);
        if (target?.kind !== 'function' && target?.kind !== 'class') return [];
        const { home } = target;
        const isReached = this.evaluator.reached(way, [], frame);
        if (!(home instanceof Evaluator) || isReached === false) return [];
        const { args } = this.evaluator.args(expression, frame);
        const called = target.kind === 'function' ? [target.of] : target.of.body.filter(isFunction);
        const inside = called.map(of =>
          home.frameOf(of, of === target.of || of.name === '__init__' ? args : [], span, of !== target.of),
        );
        const other = new CallFinder(home, this.isWanted);
        const found = [
          ...inside.flatMap(one => other.calledIn(one)),
          ...(depth + 1 < DEEPEST ? other.within(inside, depth + 1) : []),
        ];
        return found.map(one => movedTo(callee.span, one, isReached, home));
      });
  }

  private calledIn(frame: Frame): readonly BesideCall[] {
    return this.inFrame(frame, true).flatMap(place => {
      const isReached = this.evaluator.reached(place.way, [], place.frame);
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
    return [frame, ...frame.scope.inner.flatMap(scope => this.frames(this.frameOf(scope, frame)))];
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

  private inFrame(frame: Frame, inLambdas = false): readonly Place[] {
    const own = frame.scope.steps.flatMap(({ statement, way }) => {
      if (!('value' in statement) || statement.value === null) return [];
      const target = statement.kind === 'assign' ? statement.targets[0] : undefined;
      const boundTo =
        target?.kind === 'name' ? target.name : target?.kind === 'member' ? `.${target.name}` : null;
      const found = partsOf(statement).flatMap(one => wantedIn(one, this.isWanted, inLambdas));
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
      ...frame.scope.inner.flatMap(scope => this.inFrame(this.frameOf(scope, frame), inLambdas)),
    ];
  }

  /** A function in another, which it sees the names of. */
  private frameOf(scope: Scope, outer: Frame): Frame {
    return { ...this.ownFrameOf(scope), above: outer };
  }

  /** A function with the arguments of its only call, else with its defaults. */
  private ownFrameOf(scope: Scope): Frame {
    const { module } = this.evaluator;
    const { of } = scope;
    if (!of) return { scope, above: module, parameters: new Map() };
    const [only, ...others] = calledIn(module.scope).byName.get(of.name) ?? [];
    const isMethod = of.parameters[0]?.name === 'self';
    const decorated = decoratedArguments(of, this.evaluator);
    if (decorated) return { ...this.evaluator.frameOf(of, decorated, of.span), scope };
    const flags = startsByFlags(module, of) ? this.evaluator.commandLine?.flags : undefined;
    if (flags) return { ...this.evaluator.frameOf(of, argumentsOf(flags, of.span), of.span), scope };
    const args = only && others.length === 0 ? this.evaluator.args(only, module).args : [];
    return { ...this.evaluator.frameOf(of, args, of.span, isMethod), scope };
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
      uses,
    };
  }
}

/** Files behind each other whose functions a program calls. */
const DEEPEST = 3;

const isFunction = (statement: Statement): statement is FunctionStatement => statement.kind === 'function';

/** A name with its dots; '' for what is no name. */
function dotted(expression: Expression): string {
  if (expression.kind === 'name') return expression.name;
  if (expression.kind !== 'member') return '';
  const of = dotted(expression.of);
  return of === '' ? expression.name : `${of}.${expression.name}`;
}

/** A call in another file, where this one calls its function. */
const movedTo = (span: Span, call: BesideCall, isReached: boolean | null, home: Evaluator): BesideCall => ({
  ...call,
  nameSpan: span,
  args: call.args.map(arg => ({
    ...arg,
    keySpan: span,
    value: fromElsewhere(arg.value, span, home),
    isOwn: false,
    isElsewhere: true,
  })),
  isReached: isReached === true ? call.isReached : null,
});

/** The calls of a module by the names that they call, and the functions that it starts with a command's flags. */
interface Called {
  readonly byName: ReadonlyMap<string, readonly CallExpression[]>;
  readonly started: ReadonlySet<string>;
}

const known = new WeakMap<Scope, Called>();

function calledIn(module: Scope): Called {
  const found = known.get(module) ?? callsOf(module);
  known.set(module, found);
  return found;
}

function callsOf(module: Scope): Called {
  const byName = new Map<string, CallExpression[]>();
  for (const { statement } of module.steps) {
    if (!('value' in statement) || !statement.value) continue;
    for (const { expression } of wantedIn(statement.value, () => true)) {
      const { callee } = expression;
      if (callee.kind === 'name') byName.set(callee.name, [...(byName.get(callee.name) ?? []), expression]);
    }
  }
  const started = [module, ...module.inner].flatMap(({ steps }) =>
    steps.flatMap(({ statement }) => {
      const value = statement.kind === 'expression' ? statement.value : null;
      return value?.kind === 'call' ? (startedByFlags(value) ?? []) : [];
    }),
  );
  return { byName, started: new Set(started) };
}

export const startsByFlags = ({ scope }: Frame, { name }: FunctionStatement): boolean =>
  calledIn(scope).started.has(name);

const argumentsOf = (flags: CommandLine['flags'], span: Span): readonly Argument[] =>
  [...flags].map(([name, node]) => ({
    name,
    position: -1,
    keySpan: span,
    value: dataOf(node, span),
    isOwn: false,
    isElsewhere: true,
  }));

/** Names of classes and tables that hold what a run is told. */
const SETTINGS = /conf(?:ig)?|cfg|settings|hyper|param|args/i;

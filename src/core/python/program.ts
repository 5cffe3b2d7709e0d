import type { Span } from '../text/span';
import { LONGEST_CODE } from './source';
import { scopeOf } from './bindings';
import type { Scope, Way } from './bindings';
import { statedOptions } from './commandLine';
import { decoratedArguments, hydraConfig, hydraStart, isCommand } from './decorated';
import type { CommandLine, Option } from './given';
import { dataOf, fromElsewhere } from './elsewhere';
import { Evaluator } from './evaluate';
import type { Frame } from './frame';
import { Modules } from './modules';
import { parseProgram } from './parse';
import { classOptions, startedByFlags } from './parsedClasses';
import type { CallExpression, Expression, FunctionStatement, Statement } from './syntax';
import type { Project } from './project';
import type { Argument, Call, FieldValue, Value } from './value';
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

/** The names that a program imports, and its calls. */
export interface Program {
  /** Full names of what is imported, and modules of star imports. */
  readonly imports: readonly string[];
  /**
   * What is called on the result of a call, wherever the program does it; if the name gets another result at
   * `until`, only between the two.
   */
  using(found: FoundCall, until?: number): readonly UsingCall[];
  /** The calls of functions that `isWanted` by the last part of their names. */
  calls(isWanted: (lastName: string) => boolean): readonly FoundCall[];
  /** The arguments of all calls with such a last name, whatever it belongs to, also in lambdas. */
  besides(isWanted: (lastName: string) => boolean): readonly BesideCall[];
  /** The same of functions and classes of the project's other files that it calls, at the place of that call. */
  elsewhere(isWanted: (lastName: string) => boolean): readonly BesideCall[];
  /** What it assigns to names that `isWanted`, in its module and its functions, and in classes and tables of settings. */
  assigned(isWanted: (name: string) => boolean): readonly Option[];
  /** What a command may give it, with its values without flags: of parsers, of classes, of a function that Fire starts. */
  options(): readonly Option[];
  /** The config that Hydra composes for it, relative to the program; null: Hydra does not start it. */
  hydraConfig(): string | null;
  /** The names that the module itself gives values, with these: what a config in Python says. */
  assigned(): readonly FieldValue[];
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

/** A program's names and statements, for several readings of the same text. */
export interface ParsedProgram {
  readonly scope: Scope;
}

export const parsedProgram = (text: string): ParsedProgram => ({ scope: scopeOf(parseProgram(text)) });

/**
 * Reads a program's text without running it; with a project, also what it takes from other files there. Pure;
 * bounded in time.
 */
export function readProgram(text: string, project: Project | null = null, parsed?: ParsedProgram): Program {
  const scope = parsed?.scope ?? scopeOf(parseProgram(text));
  const commandLine = project?.commandLine ?? null;
  const modules: Modules | null =
    project && new Modules(project, (other, path) => moduleOf(other, { path, modules, commandLine }));
  const evaluator = new Evaluator(frameOfModule(scope), project?.path, modules, commandLine);
  return {
    imports: importsOf(scope),
    using: (found, until) => new CallFinder(evaluator, () => true).using(found, until),
    calls: isWanted => new CallFinder(evaluator, isWanted).all(),
    besides: isWanted => new CallFinder(evaluator, isWanted).besides(),
    elsewhere: isWanted => new CallFinder(evaluator, isWanted).elsewhere(),
    assigned: isWanted => new CallFinder(evaluator, () => false).assigned(isWanted),
    options: () => optionsOf(evaluator),
    hydraConfig: () => {
      const start = hydraStart(evaluator);
      return start && hydraConfig(start, evaluator);
    },
    assigned: () => assignedIn(evaluator),
  };
}

/** Names that are given a value without a condition; of several values, the last. */
function assignedIn(evaluator: Evaluator): readonly FieldValue[] {
  const { names, steps } = evaluator.module.scope;
  const keys = new Map<string, Span>();
  for (const { statement, way } of steps) {
    if (statement.kind !== 'assign' || way.length > 0) continue;
    for (const target of statement.targets) if (target.kind === 'name') keys.set(target.name, target.span);
  }
  return [...keys].flatMap(([key, keySpan]) => {
    const value = names.has(key) ? evaluator.exported(key) : null;
    return value ? [{ key, keySpan, value }] : [];
  });
}

export const importsModule = ({ imports }: Program, module: string): boolean =>
  imports.some(name => name === module || name.startsWith(`${module}.`));

const frameOfModule = (scope: Scope): Frame => ({ scope, above: null, parameters: new Map() });

/** Another program of the project; a long one defines nothing. */
const moduleOf = (
  text: string,
  { path, modules, commandLine }: { path: string; modules: Modules | null; commandLine: CommandLine | null },
): Evaluator => {
  const scope = scopeOf(text.length > LONGEST_CODE ? [] : parseProgram(text));
  return new Evaluator(frameOfModule(scope), path, modules, commandLine);
};

function importsOf(scope: Scope): readonly string[] {
  const own = scope.steps.flatMap(({ statement }) =>
    statement.kind === 'import'
      ? [
          ...statement.names.map(({ qualified }) => qualified),
          ...(statement.star === null ? [] : [statement.star]),
        ]
      : [],
  );
  return [...own, ...scope.inner.flatMap(importsOf)];
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

class CallFinder {
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
    return { name: dotted(callee), nameSpan: callee.span, first: data ? dotted(data.value) : '', args, boundTo };
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

const startsByFlags = ({ scope }: Frame, { name }: FunctionStatement): boolean =>
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

/** Options of the program itself; those of its other files are not listed. */
function optionsOf(evaluator: Evaluator): readonly Option[] {
  const { module } = evaluator;
  const parsed = new CallFinder(evaluator, name => PARSES.test(name)).classes();
  const started = module.scope.inner.flatMap(({ of }) =>
    of && (isCommand(of) || startsByFlags(module, of)) ? [of] : [],
  );
  const parameters = started.flatMap(of =>
    of.parameters.flatMap(({ name, byDefault, stars }) =>
      byDefault && stars === 0 ? [{ name, value: fieldDefault(evaluator.of(byDefault, module)) }] : [],
    ),
  );
  return [...statedOptions(evaluator), ...parsed, ...parameters];
}

/** Names of classes and tables that hold what a run is told. */
const SETTINGS = /conf(?:ig)?|cfg|settings|hyper|param|args/i;

const PARSES = /^(?:parse(?:_args_into_dataclasses|_args_and_config)?|cli)$/;

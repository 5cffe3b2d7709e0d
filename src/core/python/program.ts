import type { Span } from '../text/span';
import { LONGEST_CODE } from './source';
import { scopeOf } from './bindings';
import type { Binding, Scope } from './bindings';
import { CallFinder, reachedFrom } from './callFinder';
import type { BesideCall, FoundCall, ReachedFrame, UsingCall } from './callFinder';
import { statedOptions } from './commandLine';
import { hydraConfig, hydraStart, isCommand } from './decorated';
import { Evaluator } from './evaluate';
import type { Frame } from './frame';
import { Modules } from './modules';
import { parseProgram } from './parse';
import type { Project } from './project';
import type { Expression } from './syntax';
import { loadedFrom } from './simpleCalls';
import type { Argument, FieldValue, Option, Value } from './value';
import { fieldDefault } from './values';
import { callsIn } from './wanted';

/** The names that a program imports, and its calls. */
export interface Program {
  /** Full names of what is imported, and modules of star imports. */
  readonly imports: readonly string[];
  /** It starts a function or class of its own, and so is more than definitions. */
  readonly isStarted: boolean;
  /**
   * What is called on the result of a call, wherever the program does it; if the name gets another result at
   * `until`, only between the two.
   */
  using(found: FoundCall, until?: number): readonly UsingCall[];
  /** The calls of functions that `isWanted` by the last part of their names. */
  calls(isWanted: (lastName: string) => boolean): readonly FoundCall[];
  /** The same in functions and classes of the project's other files that it calls, at the place of that call. */
  callsElsewhere(isWanted: (lastName: string) => boolean): readonly FoundCall[];
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
  /** The contents of a file that a library opens itself; null: unknown. */
  loaded(path: Value): Value | null;
  /** Functions and classes with what their decorators say: `@app.function(gpu="H100")`. */
  decorated(): readonly Decorated[];
  /** What it sets in its environment: `os.environ["NAME"] = value`, wherever it does; null: it does so only perhaps. */
  environment(name: string): readonly (FieldValue | null)[];
  /** The names that the module itself gives values, with these: what a config in Python says. */
  moduleValues(): readonly FieldValue[];
}

/** A function or a class, and the arguments of a decorator of it. */
export interface Decorated {
  readonly span: Span;
  readonly args: readonly Argument[];
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
    project &&
    new Modules(project, (other, path) => {
      const names = project.parsed(path, () => scopeOfModule(other));
      return new Evaluator(frameOfModule(names), path, modules, commandLine);
    });
  const evaluator = new Evaluator(frameOfModule(scope), project?.path, modules, commandLine);
  let reached: readonly ReachedFrame[] | null = null;
  const reachedOnce = (): readonly ReachedFrame[] => (reached ??= reachedFrom(evaluator));
  const imports = importsOf(scope);
  // It imports nothing of its project.
  const isAlone = project === null || imports.every(name => !project.couldHave(name));
  return {
    imports,
    isStarted: isStarted(scope),
    using: (found, until) => new CallFinder(evaluator, () => true).using(found, until),
    calls: isWanted => new CallFinder(evaluator, isWanted).all(),
    callsElsewhere: isWanted =>
      callsAny(scope) && !isAlone ? new CallFinder(evaluator, isWanted).allElsewhere(reachedOnce()) : [],
    besides: isWanted => new CallFinder(evaluator, isWanted).besides(),
    elsewhere: isWanted => (isAlone ? [] : new CallFinder(evaluator, isWanted).elsewhere(reachedOnce())),
    assigned: isWanted => new CallFinder(evaluator, () => false).assigned(isWanted),
    options: () => optionsOf(evaluator),
    hydraConfig: () => {
      const start = hydraStart(evaluator);
      return start && hydraConfig(start, evaluator);
    },
    loaded: path => loadedFrom(path, path.span, modules),
    decorated: () => decoratedIn(scope, evaluator),
    environment: name => environmentIn(scope, name, evaluator),
    moduleValues: () => assignedIn(evaluator),
  };
}

const decoratedIn = (scope: Scope, evaluator: Evaluator): readonly Decorated[] => [
  ...scope.steps.flatMap(({ statement }) =>
    statement.kind === 'function' || statement.kind === 'class'
      ? statement.decorators.map(({ args, span }) => ({
          span: statement.span,
          args: evaluator.args({ args, span }, evaluator.module).args,
        }))
      : [],
  ),
  ...scope.inner.flatMap(inner => decoratedIn(inner, evaluator)),
];

const environmentIn = (scope: Scope, name: string, evaluator: Evaluator): readonly (FieldValue | null)[] => [
  ...(scope.assigned.get('os') ?? [])
    .filter(({ attribute, within }) => attribute === name && within.join('.') === 'environ')
    .map(({ key, value, way }) =>
      evaluator.reached(way, [], evaluator.natural(scope)) === true
        ? { key: name, keySpan: key, value: evaluator.of(value, evaluator.natural(scope)) }
        : null,
    ),
  ...scope.inner.flatMap(inner => environmentIn(inner, name, evaluator)),
];

/** A module that calls something; `logger = getLogger()` is such a call, too. */
const callsAny = ({ steps }: Scope): boolean =>
  steps.some(({ statement }) => 'value' in statement && statement.value?.kind === 'call');

/** `main()`, `sys.exit(main())`, `Fire(main)`, `trainer = Trainer()` with `trainer.run()`; also of another file. */
function isStarted({ steps, names }: Scope): boolean {
  const bound = (one: Expression): readonly Binding['to'][] =>
    one.kind === 'name' ? (names.get(one.name) ?? []).map(({ to }) => to) : [];
  const isOwn = (one: Expression): boolean =>
    bound(one).some(({ kind }) => kind === 'function' || kind === 'class' || kind === 'module');
  const isMade = (one: Expression): boolean =>
    bound(one).some(to =>
      to.kind === 'value' ? to.value.kind === 'call' && isOwn(to.value.callee) : to.kind === 'class',
    );
  return steps
    .flatMap(({ statement }) => (statement.kind === 'expression' ? callsIn(statement) : []))
    .some(
      ({ expression: { callee, args } }) =>
        (callee.kind === 'member' ? isMade(callee.of) : isOwn(callee)) ||
        args.some(({ value }) => isOwn(value)),
    );
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

/** The names of another program of the project; a long one defines nothing. */
const scopeOfModule = (text: string): Scope => scopeOf(text.length > LONGEST_CODE ? [] : parseProgram(text));

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

/** Options of the program itself; those of its other files are not listed. */
function optionsOf(evaluator: Evaluator): readonly Option[] {
  const { module } = evaluator;
  const parsed = new CallFinder(evaluator, name => PARSES.test(name)).classes();
  const started = module.scope.inner.flatMap(({ of }) =>
    of && (isCommand(of) || evaluator.frames.isStarted(of)) ? [of] : [],
  );
  const parameters = started.flatMap(of =>
    of.parameters.flatMap(({ name, byDefault, stars }) =>
      byDefault && stars === 0 ? [{ name, value: fieldDefault(evaluator.of(byDefault, module)) }] : [],
    ),
  );
  return [...statedOptions(evaluator), ...parsed, ...parameters];
}

const PARSES = /^(?:parse(?:_args_into_dataclasses|_args_and_config)?|cli)$/;

import type { Evaluation } from './frame';
import type { Span } from '../text/span';
import { dataOf } from './elsewhere';
import type { CallExpression, ClassStatement, Expression } from './syntax';
import type { Argument, Call, Option, ProgramHome, Value } from './value';
import { fieldDefault, open } from './values';

/*
 * Programs whose options are the fields of classes: HfArgumentParser and TrlParser of transformers and TRL, `tyro.cli`,
 * and the parameters of a function for Fire and Typer.
 */

const HF_PARSED =
  /(?:HfArgumentParser|TrlParser|H4ArgumentParser)\(\)\.parse(?:_args|_args_into_dataclasses|_args_and_config)?$/;
/** HfArgumentParser's readers of a file instead of the command (transformers/hf_argparser.py). */
const HF_LOADED = /(?:HfArgumentParser|TrlParser|H4ArgumentParser)\(\)\.parse_(?:yaml_file|json_file|dict)$/;
const TYRO = /^(?:tyro\.cli|simple_parsing\.parse|draccus\.parse)$/;

/**
 * What `HfArgumentParser((A, B)).parse_args_into_dataclasses()` or `tyro.cli(A)` returns: one object of each class, with
 * its defaults and the flags of the command; what TRL's parser takes of a config file is only known with a command.
 */
export function dataclassesOf(
  { name, on, args, span }: Pick<Call, 'name' | 'on' | 'args' | 'span'>,
  evaluator: Evaluation,
  load: (path: Value) => Value | null,
): Value | null {
  const isOne = TYRO.test(name);
  const [first] = args;
  if (isOne) return first ? objectOf(first.value, span, evaluator) : null;
  const isLoaded = HF_LOADED.test(name);
  if ((!isLoaded && !HF_PARSED.test(name)) || on?.kind !== 'call') return null;
  const given = isLoaded
    ? fieldsIn(name.endsWith('_dict') ? first?.value : first && load(first.value))
    : evaluator.commandLine === null && name.endsWith('_and_config')
      ? null
      : withConfig(flagsOf(evaluator, on.call.span), name, load);
  const items = new ClassReader(classesOf(on.call), on.call.span, evaluator, given).objects();
  return { kind: 'items', span: on.call.span, items };
}

/** Settings by their names; null: they are not known. */
type Stated = ReadonlyMap<string, Value> | null;

/** Without a command, as if it were started without flags, which is what argparse's own options are read by, too. */
const flagsOf = ({ commandLine }: Evaluation, span: Span): ReadonlyMap<string, Value> =>
  new Map([...(commandLine?.flags ?? [])].map(([name, node]) => [name, dataOf(node, span)]));

const fieldsIn = (value: Value | null | undefined): Stated =>
  value?.kind === 'fields' ? new Map(value.fields.map(field => [field.key, field.value])) : null;

/** TRL's `--config`: its keys are defaults, which flags replace (trl/scripts/utils.py, `parse_args_and_config`). */
function withConfig(given: Stated, name: string, load: (path: Value) => Value | null): Stated {
  const path = name.endsWith('_and_config') ? given?.get('config') : undefined;
  const file = path ? fieldsIn(load(path)) : null;
  if (!given || !file) return given;
  return new Map([...file, ...[...given].filter(([key]) => key !== 'config')]);
}

function classesOf(call: Call): readonly Value[] {
  const stated = call.args.find(arg => arg.name === 'dataclass_types' || arg.position === 0)?.value;
  return stated?.kind === 'items' ? stated.items : stated ? [stated] : [];
}

/** An object of a class whose fields are options. */
export const objectOf = (one: Value, span: Span, evaluator: Evaluation): Value | null =>
  new ClassReader([one], span, evaluator, flagsOf(evaluator, span)).objects()[0] ?? null;

class ClassReader {
  constructor(
    private readonly classes: readonly Value[],
    private readonly span: Span,
    private readonly evaluator: Evaluation,
    private readonly stated: Stated,
  ) {}

  objects(): readonly Value[] {
    const own = new Set(this.classes.flatMap(one => (one.kind === 'class' ? namesIn(one.of) : [])));
    const others = [...(this.stated?.keys() ?? [])].filter(name => !own.has(name));
    return this.classes.map(one => this.object(one, others));
  }

  private object(one: Value, others: readonly string[]): Value {
    if (one.kind === 'name') return this.made(one.name, this.given(others), null);
    if (one.kind !== 'class') return open(this.span);
    const home: ProgramHome = one.home ?? this.evaluator;
    const base = home.baseOf(one.of);
    const fields = namesIn(one.of);
    const all = [...(this.stated?.keys() ?? [])];
    const args = [
      ...(base === '' ? [] : this.defaults(one.of, fields, home)),
      // A field without a default is no assignment: what is asked for is looked up by its name.
      ...this.given(base === '' ? all : [...fields, ...others]),
    ];
    return this.made(base, args, { derived: one.of, ...(one.home && { derivedIn: one.home }) });
  }

  /** An object of a class; what a class outside the project defines depends on the command line. */
  private made(
    name: string,
    args: readonly Argument[],
    of: Pick<Call, 'derived' | 'derivedIn'> | null,
  ): Value {
    const { span } = this;
    const at = { span, nameSpan: span, list: span, on: null, isElsewhere: true } as const;
    const isKnown = name === '' || this.stated?.has('config') === false;
    const call: Call = { ...at, name, args, open: isKnown ? null : span, ...(of ?? { derived: null }) };
    return { kind: 'call', span, part: 0, call };
  }

  private defaults(of: ClassStatement, fields: readonly string[], home: ProgramHome): readonly Argument[] {
    const { span } = this;
    return fields
      .filter(name => this.stated?.has(name) !== true)
      .map(name => this.argument(name, { ...home.attributeOf(of, name, span), span }));
  }

  /** The stated ones among these. */
  private given(names: readonly string[]): readonly Argument[] {
    return names.flatMap(name => {
      const value = this.stated?.get(name);
      return value ? [this.argument(name, { ...value, span: this.span })] : [];
    });
  }

  private argument(name: string, value: Value): Argument {
    return { name, position: -1, keySpan: this.span, isOwn: false, isElsewhere: true, value };
  }
}

/** The fields of an object of the program's own class as a dictionary; null: it is another call. */
export function objectFields(call: Call, span: Span, evaluation: Evaluation): Value | null {
  const { derived } = call;
  if (derived === null || call.open) return null;
  const object: Value = { kind: 'call', span, call, part: 0 };
  const fields = namesIn(derived).map(key => ({
    key,
    keySpan: span,
    value: evaluation.member(object, key, span),
  }));
  return { kind: 'fields', span, fields };
}

/** Classes in classes. */
const DEEPEST = 8;

/** OmegaConf's sections of a class and of the classes of its fields: what is merged with them is a dictionary, too. */
export function structured(
  name: string,
  [first]: readonly Argument[],
  span: Span,
  evaluation: Evaluation,
): Value | null {
  if (name !== 'omegaconf.OmegaConf.structured' || !first) return null;
  const [object] = new ClassReader([first.value], span, evaluation, new Map()).objects();
  return object ? sectionsOf(first.value.kind === 'class' ? object : first.value, evaluation, 0) : null;
}

function sectionsOf(value: Value, evaluation: Evaluation, depth: number): Value {
  if (value.kind !== 'call' || depth > DEEPEST) return value;
  const all = objectFields(value.call, value.span, evaluation);
  if (all?.kind !== 'fields') return value;
  const fields = all.fields.map(one => ({ ...one, value: sectionsOf(one.value, evaluation, depth + 1) }));
  return { ...all, fields };
}

const namesIn = ({ body }: ClassStatement): readonly string[] =>
  body.flatMap(one =>
    one.kind === 'assign' && one.targets[0]?.kind === 'name' ? [one.targets[0].name] : [],
  );

const MADE_OF_FIELDS = /(?:^|\.)(?:dataclass|attrs|s|define|frozen)$/;

/**
 * Arguments without a name as the fields that they fill, in order: `Config("org/m", 8)`. Of a class whose fields begin in another
 * one, which they fill is unknown.
 */
export function namedFields<Given extends Pick<Call, 'args' | 'open'>>(
  { bases, declared, decorators, body, span }: ClassStatement,
  given: Given,
): Given {
  const isTuple = bases.some(one => one.kind === 'name' && one.name === 'NamedTuple');
  const isMade = isTuple || decorators.some(({ name }) => MADE_OF_FIELDS.test(name));
  const isOwn = body.some(one => one.kind === 'function' && one.name === '__init__');
  if (!isMade || isOwn || given.args.every(({ name }) => name !== null)) return given;
  if (!isTuple && bases.length > 0) return { ...given, open: given.open ?? span };
  const args = given.args.map(arg => ({ ...arg, name: arg.name ?? declared[arg.position] ?? null }));
  return { ...given, args };
}

/** A call that may parse the command line. */
interface Parses {
  readonly callee: Expression;
  readonly span: Span;
  readonly on: Value | null;
  readonly args: readonly Argument[];
}

/** The options that a parser makes of the program's own classes: their fields with defaults. */
export function classOptions({ callee, on, args }: Parses, evaluator: Evaluation): readonly Option[] {
  const method = callee.kind === 'member' || callee.kind === 'name' ? callee.name : '';
  const isTyro = on?.kind === 'name' && TYRO.test(`${on.name}.${method}`);
  const isHf = on?.kind === 'call' && HF_PARSED.test(`${on.call.name}().${method}`);
  const classes = isTyro ? args.slice(0, 1).map(({ value }) => value) : isHf ? classesOf(on.call) : [];
  return classes.flatMap(one =>
    one.kind === 'class' && one.home === undefined ? fieldOptions(one.of, evaluator) : [],
  );
}

/** Fields at their own places in the program. */
export function fieldOptions({ body }: ClassStatement, evaluator: Evaluation): readonly Option[] {
  return body.flatMap(one => {
    const target = one.kind === 'assign' ? one.targets[0] : undefined;
    if (one.kind !== 'assign' || target?.kind !== 'name') return [];
    const value = fieldDefault(evaluator.of(one.value, evaluator.module));
    return [{ name: target.name, value: { ...value, span: one.value.span } }];
  });
}

const STARTS = /^(?:fire\.)?Fire$|^typer\.run$|^tyro\.cli$|^(?:jsonargparse\.)?(?:auto_cli|CLI)$/;

/** The function that Fire, Typer, tyro or jsonargparse starts: `fire.Fire(main)`, `tyro.cli(main)`. */
export function startedByFlags({ callee, args }: CallExpression): string | null {
  const called = callee.kind === 'member' || callee.kind === 'name' ? callee.name : '';
  const of = callee.kind === 'member' && callee.of.kind === 'name' ? callee.of.name : '';
  const first = args[0]?.value;
  const isStart = STARTS.test(of === '' ? called : `${of}.${called}`);
  return isStart && first?.kind === 'name' ? first.name : null;
}

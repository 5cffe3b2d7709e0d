import type { Evaluation, Frame } from './frame';
import type { Span } from '../text/span';
import { NAMES_CONFIG } from './given';
import type { CommandLine } from './given';
import { dataOf, fromElsewhere } from './elsewhere';
import type { ArgumentExpression, CallExpression, Expression } from './syntax';
import type { Added, Argument, Call, Option, ProgramHome, Value } from './value';
import { fieldOptions, objectOf } from './parsedClasses';
import { open, scalar } from './values';

/** How libraries state an option: the call, what reads it, and the position of its default if it has one. */
const STATES: readonly { readonly of: RegExp; readonly read: RegExp; readonly byDefault: number | null }[] = [
  { of: /\.add_argument$/, read: /\(\)\.parse_(?:args|known_args)$/, byDefault: null },
  // simple_parsing: add_arguments(Class, dest)
  { of: /\.add_arguments$/, read: /\(\)\.parse_(?:args|known_args)$/, byDefault: null },
  // absl: DEFINE_integer(name, default, help)
  { of: /(?:^|\.)DEFINE_\w+$/, read: /(?:^|\.)FLAGS$/, byDefault: 1 },
  // click: a parameter of the function that it decorates
  { of: /(?:^|\.)option$/, read: /^$/, byDefault: null },
];

const GLOBAL = /(?:^|\.)FLAGS$/;

const reads = (name: string): boolean => STATES.some(({ read }) => name !== '' && read.test(name));

/**
 * An option as an attribute of what `parse_args` returns, or of absl's FLAGS: its flag, else its default; null: it is
 * none, or has none.
 */
export function optionNamed(of: string, name: string, evaluator: Evaluation): Value | null {
  if (of === 'sys' && name === 'argv') return wordsOf(evaluator.commandLine);
  if (!reads(of)) return null;
  const all = addedOptions(evaluator);
  const found = all.find(one => one.name === name);
  const group = found && groupOf(found);
  if (group) return objectOf(group, found.span, evaluator);
  if (found) return optionOf(found, evaluator.commandLine) ?? positionalOf(found, all, evaluator.commandLine);
  // absl's flags are those of all files.
  const flag = GLOBAL.test(of) ? evaluator.commandLine?.flags.get(name) : undefined;
  return flag ? dataOf(flag, flag.span) : null;
}

/** `sys.argv`: the program, and the words behind it; null: no command is known. */
function wordsOf(given: CommandLine | null): Value | null {
  const items = given?.words && ['', ...given.words].map(word => scalar(NOWHERE, word));
  return items ? { kind: 'items', span: NOWHERE, items } : null;
}

const NOWHERE = { start: 0, end: 0 };

/** The class whose fields a parser of simple_parsing adds as options. */
const groupOf = ({ args }: Added): Extract<Value, { kind: 'class' }> | null => {
  const value = args.find(({ position }) => position === 0)?.value;
  return value?.kind === 'class' ? value : null;
};

/** `vars(parser.parse_args())`: all options with what they are; null: it is something else. */
export function argparseFields(name: string, args: readonly Argument[], evaluator: Evaluation): Value | null {
  const first = name === 'vars' ? args[0]?.value : undefined;
  if (first?.kind !== 'call' || !reads(first.call.name)) return null;
  const { parsedIn } = first.call;
  if (parsedIn && parsedIn !== evaluator) return parsedElsewhere(first, first.span, parsedIn);
  const fields = addedOptions(evaluator).map(one => {
    const value = optionOf(one, evaluator.commandLine) ?? open(first.span);
    return { key: one.name, keySpan: one.span, value };
  });
  return { kind: 'fields', span: first.span, fields };
}

/** What another file parses, as that file's options: `args = parse_args()`; null: it parses nothing. */
function parsedElsewhere(value: Value, span: Span, home: ProgramHome): Value | null {
  if (value.kind !== 'call' || !PARSED.test(value.call.name)) return null;
  const fields = home
    .stated()
    .map(
      ({ name: key }) =>
        ({ key, keySpan: span, isElsewhere: true, value: optionIn(home, key, span) }) as const,
    );
  return fields.length > 0 ? { kind: 'fields', span, fields } : null;
}

/** An option that another file states, at the place that uses it. */
function optionIn(home: ProgramHome, name: string, span: Span): Value {
  const added = home.stated().find(one => one.name === name);
  const value = added && optionOf(added, home.commandLine ?? null);
  return value ? fromElsewhere(value, span, home) : open(span);
}

/** An attribute of what another file has parsed and handed on: `train(args)`; null: this one parses it. */
export const optionHanded = (
  { parsedIn }: Call,
  name: string,
  span: Span,
  evaluator: Evaluation,
): Value | null => (parsedIn === undefined || parsedIn === evaluator ? null : optionIn(parsedIn, name, span));

/** Marks what a parser returns: its options are those of the file that parses. */
export const parsedBy = (call: Call, evaluator: Evaluation): Call =>
  PARSED.test(call.name) ? { ...call, parsedIn: evaluator } : call;

/** The result of a function of another file. */
export const returnedBy = (home: ProgramHome, value: Value, span: Span): Value =>
  parsedElsewhere(value, span, home) ?? fromElsewhere(value, span, home);

const PARSED = /ArgumentParser\(\)\.parse_(?:args|known_args)$/;

/** What absl's definition of a flag returns has its value; null: it is another call. */
export const definedFlag = (
  { name, args, span }: Call,
  member: string,
  evaluator: Evaluation,
): Value | null => {
  const stated = member === 'value' ? addedBy(name, args, span) : null;
  return stated?.byDefault === 1 ? optionOf(stated, evaluator.commandLine) : null;
};

/** All options that a program states, with their defaults. */
export const statedOptions = (evaluator: Evaluation): readonly Option[] =>
  addedOptions(evaluator).flatMap(one => {
    const group = groupOf(one);
    if (group) return group.home ? [] : fieldOptions(group.of, evaluator);
    const value = defaultOf(one);
    return one.name === '' || value === null ? [] : [{ name: one.name, value }];
  });

/** The options that decorate one function, as arguments of it. */
export const decoratingOptions = (added: readonly Added[], given: CommandLine | null): readonly Argument[] =>
  added.flatMap(one => {
    const value = optionOf(one, given);
    const at = { position: -1, keySpan: one.span, isOwn: false } as const;
    return value ? [{ ...at, name: one.name, value }] : [];
  });

function optionOf(added: Added, given: CommandLine | null): Value | null {
  if (given === null) return startsTraining(added) ? open(added.span) : defaultOf(added);
  const { args, span, name: attribute } = added;
  const names = [...namesOf(args), attribute];
  const flag = names.map(name => given.flags.get(name)).find(node => node !== undefined);
  const action = textOf(args.find(arg => arg.name === 'action'));
  if (flag) return action === 'store_false' ? scalar(span, false) : dataOf(flag, span);
  if (names.some(name => given.flags.has(`no_${name}`))) return scalar(span, false);
  if (given.config !== undefined && names.some(name => NAMES_CONFIG.test(name))) {
    return scalar(span, given.config);
  }
  // argparse: an option without a default is None; a positional one is no flag.
  return defaultOf(added) ?? (isPositional(args) ? null : scalar(span, null));
}

/** True for a switch such as `--train`. Without a command it is unknown, because the program only trains with it. */
const startsTraining = (added: Added): boolean => {
  const value = defaultOf(added);
  const isOff = value?.kind === 'scalar' && value.value === false;
  return isOff && TRAIN.test(added.name) && isSwitch(added);
};

const TRAIN = /^(?:do_|run_|is_)?train(?:ing)?$/;

/** What the words before the first flag say of a positional option; null: they do not. */
function positionalOf(of: Added, all: readonly Added[], given: CommandLine | null): Value | null {
  const words = given?.words ?? [];
  const end = words.findIndex(word => word.startsWith('-'));
  const before = end < 0 ? words : words.slice(0, end);
  const own = all.filter(({ args }) => isPositional(args));
  const word = own.length === before.length ? before[own.indexOf(of)] : undefined;
  return word === undefined ? null : scalar(of.span, word);
}

/** The attribute of an option: `dest`, click's name without dashes, or its first long name. */
function destOf(args: readonly Argument[]): string {
  const named = textOf(args.find(arg => arg.name === 'dest'));
  if (named !== null) return named;
  const texts = textsOf(args);
  const bare = texts.find(text => /^[a-z_]\w*$/i.test(text));
  const long = bare ?? texts.find(text => text.startsWith('--')) ?? texts[0] ?? '';
  return plainName(long.split('/')[0] ?? '');
}

const textsOf = (args: readonly Argument[]): readonly string[] =>
  args.filter(arg => arg.name === null).map(arg => textOf(arg) ?? '');
const namesOf = (args: readonly Argument[]): readonly string[] => textsOf(args).map(plainName);
const plainName = (flag: string): string => flag.replace(/^--?/, '').replaceAll('-', '_');
const isPositional = (args: readonly Argument[]): boolean =>
  !textsOf(args).some(text => text.startsWith('-'));

function defaultOf({ args, byDefault }: Added): Value | null {
  const stated = args.find(
    arg => arg.name === 'default' || (byDefault !== null && arg.position === byDefault),
  );
  if (stated) return stated.value;
  const action = actionOf(args);
  const word = switchOf(action);
  return action && word ? { kind: 'scalar', span: action.value.span, value: word === 'store_false' } : null;
}

const actionOf = (args: readonly Argument[]): Argument | undefined =>
  args.find(arg => arg.name === 'action' || arg.name === 'is_flag');

/** What a flag without a value stores; null: it takes one. */
function switchOf(action: Argument | undefined): 'store_true' | 'store_false' | null {
  const word = action?.name === 'is_flag' ? 'store_true' : textOf(action);
  return word === 'store_true' || word === 'store_false' ? word : null;
}

const isSwitch = ({ args }: Added): boolean => switchOf(actionOf(args)) !== null;

const textOf = (arg: Argument | undefined): string | null =>
  arg?.value.kind === 'scalar' && typeof arg.value.value === 'string' ? arg.value.value : null;

/** All calls that state an option, in any function, and those that decorate one. */
export function addedOptions(evaluator: Evaluation): readonly Added[] {
  if (evaluator.added) return evaluator.added;
  const found: Added[] = [];
  evaluator.added = found;
  const visit = (frame: Frame): void => {
    for (const { statement } of frame.scope.steps) {
      if (statement.kind === 'function') found.push(...decorating(statement.decorators, evaluator));
      if (statement.kind !== 'expression' && statement.kind !== 'assign') continue;
      const { value } = statement;
      if (value.kind !== 'call') continue;
      found.push(...statedBy(value, frame, evaluator));
      const added = addedIn(calledIn(value.callee), value, frame, evaluator);
      if (added) found.push(added);
      setDefaults(found, value, frame, evaluator);
    }
    for (const scope of frame.scope.inner) {
      visit({ scope, above: evaluator.module, parameters: new Map() });
    }
  };
  visit(evaluator.module);
  return found;
}

/** `parser.set_defaults(**loaded)`: the defaults of options, and further ones (docs.python.org: argparse). */
function setDefaults(found: Added[], call: CallExpression, frame: Frame, evaluator: Evaluation): void {
  if (calledIn(call.callee) !== '.set_defaults') return;
  for (const { name, value } of evaluator.args(call, frame).args) {
    const at = found.findIndex(one => one.name === name);
    const before = found[at];
    const stated = { name: 'default', position: -1, keySpan: call.span, value, isOwn: false } as const;
    const args = [...(before?.args ?? []).filter(arg => arg.name !== 'default'), stated];
    const now = { byDefault: null, span: call.span, ...before, name: name ?? '', args };
    if (before) found[at] = now;
    else found.push(now);
  }
}

/** Names of functions that parse a command's options. */
const PARSES = /^(?:parse|get|load|build|setup|init)_?\w{0,20}(?:arg|opt|config|flag|param)\w{0,12}$/i;

/** The options of a function of another file that gets the parser, or makes it: `add_train_args(parser)`, `parse_args()`. */
function statedBy(call: CallExpression, frame: Frame, evaluator: Evaluation): readonly Added[] {
  const isParser = call.args.some(
    arg =>
      arg.value.kind === 'name' &&
      arg.value.name.endsWith('parser') &&
      isParserOf(evaluator.of(arg.value, frame)),
  );
  const isMade = call.callee.kind === 'name' && PARSES.test(call.callee.name);
  const target = isParser || isMade ? evaluator.of(call.callee, frame) : null;
  if (target?.kind !== 'function' || !target.home) return [];
  const { home } = target;
  return home.stated().map(one => ({
    ...one,
    span: call.span,
    args: one.args.map(arg => ({
      ...arg,
      keySpan: call.span,
      value: fromElsewhere(arg.value, call.span, home),
    })),
  }));
}

const isParserOf = (value: Value): boolean =>
  value.kind === 'call' && value.call.name.endsWith('ArgumentParser');

/** The options among the decorators of a function. */
export const decorating = (decorators: readonly Calling[], evaluator: Evaluation): readonly Added[] =>
  decorators.flatMap(one => addedIn(one.name ?? '', one, evaluator.module, evaluator) ?? []);

/** A call, or a decorator with its name. */
interface Calling {
  readonly name?: string;
  readonly span: Span;
  readonly args: readonly ArgumentExpression[];
}

const addedIn = (name: string, call: Calling, frame: Frame, evaluator: Evaluation): Added | null =>
  STATES.some(({ of }) => of.test(name)) ? addedBy(name, evaluator.args(call, frame).args, call.span) : null;

function addedBy(name: string, args: readonly Argument[], span: Span): Added | null {
  const states = STATES.find(({ of }) => of.test(name));
  return states ? { name: destOf(args), span, args, byDefault: states.byDefault } : null;
}

/** The end of what is called, as written. */
const calledIn = (callee: Expression): string =>
  callee.kind === 'member' ? `.${callee.name}` : callee.kind === 'name' ? callee.name : '';

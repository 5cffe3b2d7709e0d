import type { Evaluator, Frame } from './evaluate';
import type { Span } from '../text/span';
import type { Added, CommandLine, Option } from './given';
import { dataOf } from './elsewhere';
import type { CallExpression, Expression } from './syntax';
import type { Argument, Call, Value } from './value';
import { open, scalar } from './values';

const PARSED = /\(\)\.parse_(?:args|known_args)$/;

/**
 * An argparse option as an attribute of what `parse_args` returns: its flag, else its default; null: it is none, or
 * has none.
 */
export function argparseDefault(call: Call, name: string, evaluator: Evaluator): Value | null {
  if (!PARSED.test(call.name)) return null;
  const found = addedOptions(evaluator).find(one => one.name === name);
  return found ? optionOf(found.args, found.span, evaluator.commandLine) : null;
}

/** `vars(parser.parse_args())`: all options with what they are; null: it is something else. */
export function argparseFields(name: string, args: readonly Argument[], evaluator: Evaluator): Value | null {
  const first = name === 'vars' ? args[0]?.value : undefined;
  if (first?.kind !== 'call' || !PARSED.test(first.call.name)) return null;
  const fields = addedOptions(evaluator).map(one => {
    const value = optionOf(one.args, one.span, evaluator.commandLine) ?? open(first.span);
    return { key: one.name, keySpan: one.span, value };
  });
  return { kind: 'fields', span: first.span, fields };
}

/** All options that a program adds to a parser, with their defaults. */
export const argparseOptions = (evaluator: Evaluator): readonly Option[] =>
  addedOptions(evaluator).flatMap(({ name, args }) => {
    const value = defaultOf(args);
    return name === '' || value === null ? [] : [{ name, value }];
  });

function optionOf(args: readonly Argument[], span: Span, given: CommandLine | null): Value | null {
  if (given === null) return defaultOf(args);
  const names = [...namesOf(args), destOf(args)];
  const flag = names.map(name => given.flags.get(name)).find(node => node !== undefined);
  const action = textOf(args.find(arg => arg.name === 'action'));
  if (flag) return action === 'store_false' ? scalar(span, false) : dataOf(flag, span);
  if (names.some(name => given.flags.has(`no_${name}`))) return scalar(span, false);
  // argparse: an option without a default is None; a positional one is no flag.
  return defaultOf(args) ?? (isPositional(args) ? null : scalar(span, null));
}

/** The attribute of an option: `dest`, or its first long name. */
function destOf(args: readonly Argument[]): string {
  const named = textOf(args.find(arg => arg.name === 'dest'));
  if (named !== null) return named;
  const texts = textsOf(args);
  const long = texts.find(text => text.startsWith('--')) ?? texts[0] ?? '';
  return plainName(long);
}

const textsOf = (args: readonly Argument[]): readonly string[] =>
  args.filter(arg => arg.name === null).map(arg => textOf(arg) ?? '');
const namesOf = (args: readonly Argument[]): readonly string[] => textsOf(args).map(plainName);
const plainName = (flag: string): string => flag.replace(/^--?/, '').replaceAll('-', '_');
const isPositional = (args: readonly Argument[]): boolean =>
  !textsOf(args).some(text => text.startsWith('-'));

function defaultOf(args: readonly Argument[]): Value | null {
  const stated = args.find(arg => arg.name === 'default');
  if (stated) return stated.value;
  const action = args.find(arg => arg.name === 'action');
  const word = textOf(action);
  const isSwitch = word === 'store_true' || word === 'store_false';
  return action && isSwitch
    ? { kind: 'scalar', span: action.value.span, value: word === 'store_false' }
    : null;
}

const textOf = (arg: Argument | undefined): string | null =>
  arg?.value.kind === 'scalar' && typeof arg.value.value === 'string' ? arg.value.value : null;

/** All calls of `add_argument`, in any function. */
function addedOptions(evaluator: Evaluator): readonly Added[] {
  if (evaluator.added) return evaluator.added;
  const found: Added[] = [];
  evaluator.added = found;
  const visit = (frame: Frame): void => {
    for (const { statement } of frame.scope.steps) {
      if (statement.kind !== 'expression' && statement.kind !== 'assign') continue;
      if (!isOption(statement.value)) continue;
      const { args } = evaluator.args(statement.value, frame);
      found.push({ name: destOf(args), span: statement.value.span, args });
    }
    for (const scope of frame.scope.inner) {
      visit({ scope, above: evaluator.module, parameters: new Map() });
    }
  };
  visit(evaluator.module);
  return found;
}

const isOption = (value: Expression): value is CallExpression =>
  value.kind === 'call' && value.callee.kind === 'member' && value.callee.name === 'add_argument';

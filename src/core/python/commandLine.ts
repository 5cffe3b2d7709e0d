import type { Evaluator, Frame } from './evaluate';
import type { CallExpression, Expression } from './syntax';
import type { Argument, Call, Value } from './value';

const PARSED = /\(\)\.parse_(?:args|known_args)$/;

/** The default of an argparse option, as an attribute of what `parse_args` returns; null: it is none, or has none. */
export function argparseDefault(call: Call, name: string, evaluator: Evaluator): Value | null {
  if (!PARSED.test(call.name)) return null;
  for (const { expression, frame } of addedOptions(evaluator.module)) {
    const { args } = evaluator.args(expression, frame);
    if (destOf(args) === name) return defaultOf(args);
  }
  return null;
}

/** The attribute of an option: `dest`, or its first long name. */
function destOf(args: readonly Argument[]): string {
  const named = textOf(args.find(arg => arg.name === 'dest'));
  if (named !== null) return named;
  const texts = args.filter(arg => arg.name === null).map(arg => textOf(arg) ?? '');
  const long = texts.find(text => text.startsWith('--')) ?? texts[0] ?? '';
  return long.replace(/^--?/, '').replaceAll('-', '_');
}

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
function addedOptions(module: Frame): readonly { expression: CallExpression; frame: Frame }[] {
  const found: { expression: CallExpression; frame: Frame }[] = [];
  const visit = (frame: Frame): void => {
    for (const { statement } of frame.scope.steps) {
      if (statement.kind !== 'expression' && statement.kind !== 'assign') continue;
      if (isOption(statement.value)) found.push({ expression: statement.value, frame });
    }
    for (const scope of frame.scope.inner) visit({ scope, above: module, parameters: new Map() });
  };
  visit(module);
  return found;
}

const isOption = (value: Expression): value is CallExpression =>
  value.kind === 'call' && value.callee.kind === 'member' && value.callee.name === 'add_argument';

import type { Evaluator, Frame } from './evaluate';
import type { Span } from '../text/span';
import type { CallExpression, ClassStatement, Expression } from './syntax';
import type { Argument, Call, ProgramHome, Value } from './value';
import { open } from './values';

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

/** `vars(parser.parse_args())`: all options with their defaults; null: it is something else. */
export function argparseFields(name: string, args: readonly Argument[], evaluator: Evaluator): Value | null {
  const first = name === 'vars' ? args[0]?.value : undefined;
  if (first?.kind !== 'call' || !PARSED.test(first.call.name)) return null;
  const fields = addedOptions(evaluator.module).map(({ expression, frame }) => {
    const { args: given } = evaluator.args(expression, frame);
    const value = defaultOf(given) ?? open(first.span);
    return { key: destOf(given), keySpan: expression.span, value };
  });
  return { kind: 'fields', span: first.span, fields };
}

const HF_PARSED = /(?:HfArgumentParser|TrlParser)\(\)\.parse_(?:args|args_into_dataclasses|args_and_config)$/;

/**
 * What `HfArgumentParser((A, B)).parse_args_into_dataclasses()` returns: one object of each class, with its defaults;
 * what a class inherits from outside is only known when it is started.
 */
export function dataclassesOf(name: string, on: Value | null, evaluator: Evaluator): Value | null {
  if (!HF_PARSED.test(name) || on?.kind !== 'call') return null;
  const stated = on.call.args.find(arg => arg.name === 'dataclass_types' || arg.position === 0)?.value;
  const classes = stated?.kind === 'items' ? stated.items : stated ? [stated] : [];
  const { span } = on.call;
  const items = classes.map((one): Value => {
    if (one.kind === 'name') return made(one.name, [], null, span);
    if (one.kind !== 'class') return open(span);
    const home: ProgramHome = one.home ?? evaluator;
    const base = home.baseOf(one.of);
    const args = base === '' ? [] : ownFields(one.of, home, span);
    return made(base, args, { derived: one.of, ...(one.home && { derivedIn: one.home }) }, span);
  });
  return { kind: 'items', span, items };
}

/** An object of a class; what a class outside the project defines depends on the command line. */
function made(
  name: string,
  args: readonly Argument[],
  of: Pick<Call, 'derived' | 'derivedIn'> | null,
  span: Span,
): Value {
  const at = { span, nameSpan: span, list: span, on: null, isElsewhere: true } as const;
  const open = name === '' ? null : span;
  return { kind: 'call', span, part: 0, call: { ...at, name, args, open, ...(of ?? { derived: null }) } };
}

const ownFields = (of: ClassStatement, home: ProgramHome, span: Span): readonly Argument[] =>
  of.body.flatMap(one =>
    one.kind === 'assign' && one.targets[0]?.kind === 'name'
      ? [
          {
            ...{ name: one.targets[0].name, position: -1, keySpan: span, isOwn: false, isElsewhere: true },
            value: { ...home.attributeOf(of, one.targets[0].name, span), span },
          } as const,
        ]
      : [],
  );

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

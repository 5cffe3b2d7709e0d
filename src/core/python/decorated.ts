import type { Span } from '../text/span';
import { decorating, decoratingOptions } from './commandLine';
import { dataOf } from './elsewhere';
import type { Evaluation } from './frame';
import type { Decorator, FunctionStatement } from './syntax';
import type { Argument, Value } from './value';
import { objectOf } from './parsedClasses';
import { fieldDefault, open } from './values';

/*
 * Functions that a library calls with what the command gives: Hydra with the composed config, click with its options,
 * Typer with the function's own parameters.
 */

const HYDRA = /\bhydra[._]main$/;
const COMMAND = /(?:^|\.)(?:command|callback)$/;

/** True for a function that is a command: its parameters are options. */
export const isCommand = ({ decorators }: FunctionStatement): boolean =>
  decorators.some(({ name }) => COMMAND.test(name));

/** The arguments that a decorator gives a function; null: none does. */
export function decoratedArguments(of: FunctionStatement, evaluator: Evaluation): readonly Argument[] | null {
  const hydra = of.decorators.find(({ name }) => HYDRA.test(name));
  if (hydra) return [argument(null, composedBy(hydra, evaluator))];
  if (!isCommand(of)) return null;
  const options = decorating(of.decorators, evaluator);
  return options.length > 0
    ? decoratingOptions(options, evaluator.commandLine)
    : of.parameters.flatMap(({ name, byDefault }) => {
        const given = flagOf(evaluator, name, of.span);
        const value = given ?? (byDefault && fieldDefault(evaluator.of(byDefault, evaluator.module)));
        return value ? [argument(name, value)] : [];
      });
}

/** The config file of a function that Hydra starts, relative to the program; null: it has none, or none is known. */
export function hydraConfig({ args }: Decorator, evaluator: Evaluation): string | null {
  const given = evaluator.args({ args }, evaluator.module).args;
  const word = (name: string, position: number): string | null => {
    const flag =
      flagOf(evaluator, name, NOWHERE) ?? (name === 'config_name' ? flagOf(evaluator, 'cn', NOWHERE) : null);
    const value = flag ?? given.find(arg => arg.name === name || arg.position === position)?.value;
    return value?.kind === 'scalar' && typeof value.value === 'string' ? value.value : null;
  };
  const name = word('config_name', 1);
  if (name === null) return null;
  return `${word('config_path', 0) ?? '.'}/${/\.ya?ml$/.test(name) ? name : `${name}.yaml`}`;
}

/** What the command gives for a flag; null: nothing. */
function flagOf({ commandLine }: Evaluation, name: string, span: Span): Value | null {
  const node = commandLine?.flags.get(name);
  return node ? dataOf(node, span) : null;
}

const NOWHERE = { start: 0, end: 0 };

/** The decorator by which Hydra starts a function of a program, wherever it stands. */
export const hydraStart = (evaluator: Evaluation): Decorator | null =>
  evaluator.module.scope.steps
    .flatMap(({ statement }) => (statement.kind === 'function' ? statement.decorators : []))
    .find(({ name }) => HYDRA.test(name)) ?? null;

const composedBy = (decorator: Decorator, evaluator: Evaluation): Value => {
  const file = hydraConfig(decorator, evaluator);
  const found = file === null ? null : evaluator.composed(file, decorator.span);
  return found ?? (file === null ? null : structured(file, evaluator)) ?? open(decorator.span);
};

/** The class that a program registers instead of a file: `ConfigStore.instance().store(name="config", node=Config)`. */
function structured(file: string, evaluator: Evaluation): Value | null {
  // An override of a section is no argument of its class.
  if ([...(evaluator.commandLine?.flags.keys() ?? [])].some(name => name.includes('.'))) return null;
  const { module } = evaluator;
  for (const { statement } of module.scope.steps) {
    const call = statement.kind === 'expression' && statement.value.kind === 'call' ? statement.value : null;
    if (call?.callee.kind !== 'member' || call.callee.name !== 'store') continue;
    const { args } = evaluator.args(call, module);
    const [name, node] = ['name', 'node'].map(
      (word, position) => args.find(arg => arg.name === word || arg.position === position)?.value,
    );
    const isIt = name?.kind === 'scalar' && file.endsWith(`/${String(name.value)}.yaml`);
    if (isIt && node?.kind === 'class') return objectOf(node, call.span, evaluator);
  }
  return null;
}

const argument = (name: string | null, value: Value): Argument => ({
  name,
  position: name === null ? 0 : -1,
  keySpan: value.span,
  value,
  isOwn: false,
  isElsewhere: true,
});

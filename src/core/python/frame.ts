import type { Span } from '../text/span';
import type { Scope } from './bindings';
import type { Added, CommandLine } from './given';
import type { CallExpression, Expression } from './syntax';
import type { Argument, ProgramHome, Value } from './value';

/** One execution of a scope: the module, or a function with its arguments. */
export interface Frame {
  readonly scope: Scope;
  readonly above: Frame | null;
  readonly parameters: ReadonlyMap<string, () => Value>;
}

/** The evaluation of one program, for readers of what its calls mean. */
export interface Evaluation extends ProgramHome {
  readonly module: Frame;
  /** Null: it may be started in any way. */
  readonly commandLine: CommandLine | null;
  /** Options of argparse, once they are asked for. */
  added: readonly Added[] | null;
  of(expression: Expression, frame: Frame): Value;
  args(call: Pick<CallExpression, 'args'>, frame: Frame): { args: readonly Argument[]; open: Span | null };
}

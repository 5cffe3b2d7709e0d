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

/** What is found for parts of a program, each execution of a scope by itself. */
export class Found<Part extends object> {
  private readonly known = new Map<Part, [Frame, Value][]>();

  of(part: Part, frame: Frame, find: () => Value): Value {
    const before = this.known.get(part)?.find(([of]) => of === frame);
    if (before) return before[1];
    const value = find();
    this.known.set(part, [...(this.known.get(part) ?? []), [frame, value]]);
    return value;
  }
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

import type { Span } from '../text/span';
import type { Scope, Way } from './bindings';
import type { CommandLine } from './given';
import type { CallExpression, Expression, FunctionStatement } from './syntax';
import type { Added, Argument, Call, ProgramHome, Value } from './value';

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

/** The arguments of one call; `open` if there are more that only the run knows. */
export interface Given {
  readonly args: readonly Argument[];
  readonly open: Span | null;
}

/** What is known of objects. */
export interface KnownObjects {
  /** Attributes, by their names and the method that asks. */
  readonly attributes: WeakMap<Call, Map<string, Value | null>>;
  readonly frames: WeakMap<Call, Map<FunctionStatement, Frame>>;
}

/** The evaluation of one program, for readers of what its calls mean. */
export interface Evaluation extends ProgramHome {
  readonly module: Frame;
  /** Null: it may be started in any way. */
  readonly commandLine: CommandLine | null;
  /** Options of argparse, once they are asked for. */
  added: readonly Added[] | null;
  of(expression: Expression, frame: Frame): Value;
  readonly objects: KnownObjects;
  /** A scope as the program runs it. */
  natural(scope: Scope): Frame;
  /** A function for some arguments, and a method of an object. */
  frameOf(of: FunctionStatement, given: Given, span: Span, object?: Value | null): Frame;
  /** Whether a place is reached when `use` is: null if that is unknown. */
  reached(way: Way, use: Way, frame: Frame): boolean | null;
  /** The result of a function of the program. */
  result(of: FunctionStatement, frame: Frame, span: Span): Value;
  /** A config that Hydra composes, named relative to this program; null: it is not there. */
  composed(file: string, span: Span): Value | null;
  /** An attribute of a value. */
  member(of: Value, name: string, span: Span): Value;
  args(call: Pick<CallExpression, 'args'>, frame: Frame): { args: readonly Argument[]; open: Span | null };
}

import type { Span } from '../text/span';
import type { ScalarValue, StatedAt } from '../yaml/node';
import type { CommandLine } from './given';
import type { ClassStatement, FunctionStatement } from './syntax';

/**
 * What an expression is known to be, without running the program. Spans are offsets in the program's text: the
 * expression where it is used.
 */
export type Value = { readonly span: Span } & (
  | { readonly kind: 'scalar'; readonly value: ScalarValue; readonly at?: StatedAt }
  | { readonly kind: 'items'; readonly items: readonly Value[] }
  | { readonly kind: 'fields'; readonly fields: readonly FieldValue[] }
  /** Something imported or built in, by its full name: `torch.bfloat16`. */
  | { readonly kind: 'name'; readonly name: string }
  /** The result of a call; `part` if it is unpacked. */
  | { readonly kind: 'call'; readonly call: Call; readonly part: number }
  | { readonly kind: 'function'; readonly of: FunctionStatement; readonly home?: ProgramHome }
  | { readonly kind: 'class'; readonly of: ClassStatement; readonly home?: ProgramHome }
  /**
   * Unknown; of a lambda, what it returns; of a list's item that a branch adds, what it is if it is there. `isUnset`: a variable of
   * the environment, which is seldom set.
   */
  | { readonly kind: 'open'; readonly result?: Value; readonly perhaps?: Value; readonly isUnset?: true }
);

/** The program that defines a function or a class, if it is another file. */
export interface ProgramHome {
  /** The value of a name of the module; null: it defines none. */
  exported(name: string): Value | null;
  resultOf(of: FunctionStatement, given: Pick<Call, 'args' | 'open'>, span: Span): Value;
  attributeOf(of: ClassStatement, name: string, span: Span): Value;
  /** An attribute that the methods of an object's class give it; null: none does. */
  objectAttribute(call: Call, of: ClassStatement, name: string, span: Span): Value | null;
  /** What a method of an object's own class returns; null: the class has none of this name. */
  methodResult(call: Call, name: string, given: Pick<Call, 'args' | 'open'>, span: Span): Value | null;
  /** What a class method returns; `made`: the class that it is called on. Null: the class has none of this name. */
  classResult(
    of: ClassStatement,
    name: string,
    given: Pick<Call, 'args' | 'open'>,
    span: Span,
    made: ClassStatement,
  ): Value | null;
  /** The class outside the project that a class is derived from. */
  baseOf(of: ClassStatement): string;
  readonly commandLine?: CommandLine | null;
  /** The options that it states for argparse. */
  stated(): readonly Added[];
}

/** An option of a program: its name as an attribute, and what it is without a flag. */
export interface Option {
  readonly name: string;
  readonly value: Value;
}

/** An entry of a dictionary. */
export interface FieldValue {
  readonly key: string;
  readonly keySpan: Span;
  readonly value: Value;
  /** Another file states it: its spans are those of the place that uses it. */
  readonly isElsewhere?: true;
}

/** A call of something that the program does not define itself. */
export interface Call {
  /** The full name, through imports and aliases: `trl.SFTTrainer`; a method of a result: `trl.SFTTrainer().train`. */
  readonly name: string;
  /** The result whose method is called. */
  readonly on: Value | null;
  readonly span: Span;
  /** The name as written. */
  readonly nameSpan: Span;
  /** The parentheses with all arguments. */
  readonly list: Span;
  readonly args: readonly Argument[];
  /** Arguments that only the run knows: `**kwargs`. */
  readonly open: Span | null;
  /** The class that the program derives from `name`. */
  readonly derived: ClassStatement | null;
  readonly derivedIn?: ProgramHome;
  /** Of what a parser of the command returns: the program that parses it. */
  readonly parsedIn?: ProgramHome;
  /** Another file makes it. */
  readonly isElsewhere?: true;
}

export interface Argument {
  /** Null for a positional one. */
  readonly name: string | null;
  readonly position: number;
  readonly keySpan: Span;
  readonly value: Value;
  /** It stands in the call's own parentheses, not in a dictionary or a later assignment. */
  readonly isOwn: boolean;
  /** Another file states it. */
  readonly isElsewhere?: true;
}

/** A call that states an option. */
export interface Added {
  /** The attribute that it becomes. */
  readonly name: string;
  readonly span: Span;
  readonly args: readonly Argument[];
  /** The position of its default; null: it is named. */
  readonly byDefault: number | null;
}

import type { Span } from '../text/span';
import type { ScalarValue } from '../yaml/node';
import type { ClassStatement, FunctionStatement } from './syntax';

/**
 * What an expression is known to be, without running the program. Spans are offsets in the program's text: the
 * expression where it is used.
 */
export type Value = { readonly span: Span } & (
  | { readonly kind: 'scalar'; readonly value: ScalarValue }
  | { readonly kind: 'items'; readonly items: readonly Value[] }
  | { readonly kind: 'fields'; readonly fields: readonly FieldValue[] }
  /** Something imported or built in, by its full name: `torch.bfloat16`. */
  | { readonly kind: 'name'; readonly name: string }
  /** The result of a call; `part` if it is unpacked. */
  | { readonly kind: 'call'; readonly call: Call; readonly part: number }
  | { readonly kind: 'function'; readonly of: FunctionStatement }
  | { readonly kind: 'class'; readonly of: ClassStatement }
  /** Unknown. */
  | { readonly kind: 'open' }
);

/** An entry of a dictionary. */
export interface FieldValue {
  readonly key: string;
  readonly keySpan: Span;
  readonly value: Value;
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
}

export interface Argument {
  /** Null for a positional one. */
  readonly name: string | null;
  readonly position: number;
  readonly keySpan: Span;
  readonly value: Value;
  /** It stands in the call's own parentheses, not in a dictionary or a later assignment. */
  readonly isOwn: boolean;
}

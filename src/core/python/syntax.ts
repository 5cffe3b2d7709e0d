import type { Span } from '../text/span';
import type { ScalarValue } from '../yaml/node';

/** An expression. Spans are offsets in the program's text. */
export type Expression = { readonly span: Span } & (
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'constant'; readonly value: ScalarValue }
  /** An f-string: its texts and expressions. */
  | { readonly kind: 'text'; readonly parts: readonly (string | Expression)[] }
  /** A list, a tuple or a set. */
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'dict'; readonly entries: readonly DictEntry[] }
  | CallExpression
  | { readonly kind: 'member'; readonly of: Expression; readonly name: string }
  | { readonly kind: 'item'; readonly of: Expression; readonly index: Expression }
  | { readonly kind: 'unary'; readonly operator: string; readonly of: Expression }
  | {
      readonly kind: 'binary';
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: 'choice';
      readonly test: Expression;
      readonly then: Expression;
      readonly otherwise: Expression;
    }
  /** `{key: value for targets in over if test}`; without a key, a list, a set or a generator. */
  | {
      readonly kind: 'comprehension';
      readonly key: Expression | null;
      readonly value: Expression;
      readonly target: Expression;
      readonly over: Expression;
      readonly test: Expression | null;
    }
  /** What Headroom does not evaluate: a lambda (with its body), a slice. */
  | { readonly kind: 'other'; readonly body?: Expression }
);

/** `key: value`, or `**value` with a null key. */
export interface DictEntry {
  readonly key: Expression | null;
  readonly value: Expression;
}

export interface CallExpression {
  readonly kind: 'call';
  readonly span: Span;
  readonly callee: Expression;
  readonly args: readonly ArgumentExpression[];
  /** The parentheses with all arguments. */
  readonly list: Span;
}

/** An argument: positional without a name, `*value` and `**value` by their stars. */
export interface ArgumentExpression {
  readonly name: string | null;
  readonly stars: 0 | 1 | 2;
  /** The name, or the value of a positional argument. */
  readonly keySpan: Span;
  readonly value: Expression;
}

export interface Parameter {
  readonly name: string;
  readonly byDefault: Expression | null;
  readonly stars: 0 | 1 | 2;
}

/** A statement, as far as it defines names or makes calls. */
export type Statement = { readonly span: Span } & (
  | { readonly kind: 'import'; readonly names: readonly ImportedName[]; readonly star: string | null }
  | {
      readonly kind: 'assign';
      readonly targets: readonly Expression[];
      readonly value: Expression;
      /** `+=`: the operator without its equals sign. */
      readonly operator: string | null;
    }
  | { readonly kind: 'expression'; readonly value: Expression }
  | { readonly kind: 'return'; readonly value: Expression | null }
  | FunctionStatement
  | ClassStatement
  /** The branches of `if`; the last one may have no test. */
  | { readonly kind: 'branches'; readonly branches: readonly Branch[] }
  | {
      readonly kind: 'loop';
      readonly targets: readonly Expression[];
      /** Null: `while`. */
      readonly over: Expression | null;
      readonly body: readonly Statement[];
    }
  /** `with` and `try`: its bodies run in order, those of `except` after a failure. */
  | { readonly kind: 'block'; readonly body: readonly Statement[]; readonly perhaps: readonly Statement[] }
);

export interface ImportedName {
  readonly local: string;
  readonly qualified: string;
}

export interface FunctionStatement {
  readonly kind: 'function';
  readonly span: Span;
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly decorators: readonly Decorator[];
  readonly body: readonly Statement[];
}

/** `@name(args)`. */
export interface Decorator {
  /** As written, with its dots. */
  readonly name: string;
  readonly span: Span;
  readonly args: readonly ArgumentExpression[];
}

export interface ClassStatement {
  readonly kind: 'class';
  readonly span: Span;
  readonly name: string;
  readonly bases: readonly Expression[];
  readonly decorators: readonly Decorator[];
  /** The names with a type, in order: the fields of a dataclass, also those without a value. */
  readonly declared: readonly string[];
  readonly body: readonly Statement[];
}

export interface Branch {
  readonly test: Expression | null;
  readonly body: readonly Statement[];
}

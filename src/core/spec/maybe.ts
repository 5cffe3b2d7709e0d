/** The value is there. */
export interface Known<T> {
  readonly kind: 'known';
  readonly value: T;
}

/** It is known that there is no value: nothing is quantized, nothing is evaluated. */
export interface None {
  readonly kind: 'none';
}

/** The config does not say whether there is a value, or which one. */
export interface Unknown {
  readonly kind: 'unknown';
}

/**
 * A value of three states. They are types, not `0`, `null` and `undefined`, so that no `??` and no `!` turns what is
 * unknown into what is none. A value of two states stays `T | null`, and its comment says which state `null` is.
 */
export type Maybe<T> = Known<T> | None | Unknown;

export const NONE: None = { kind: 'none' };
export const UNKNOWN: Unknown = { kind: 'unknown' };

export const known = <T>(value: T): Known<T> => ({ kind: 'known', value });

/** The value, or null where there is none. Rule out `unknown` first: the types ask for it. */
export const valueOrNull = <T>(answer: Known<T> | None): T | null =>
  answer.kind === 'known' ? answer.value : null;

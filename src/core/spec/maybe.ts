/** There is a value. */
export interface Known<T> {
  readonly kind: 'known';
  readonly value: T;
}

/** There is certainly no value: no quantization, no evaluation. */
export interface None {
  readonly kind: 'none';
}

/** The config does not say whether there is a value, or which one. */
export interface Unknown {
  readonly kind: 'unknown';
}

/**
 * A value with three states. They are types instead of `0`, `null` and `undefined`, so that no `??` or `!` can turn
 * unknown into none. A value with two states stays `T | null`, and its comment defines `null`.
 */
export type Maybe<T> = Known<T> | None | Unknown;

export const NONE: None = { kind: 'none' };
export const UNKNOWN: Unknown = { kind: 'unknown' };

export const known = <T>(value: T): Known<T> => ({ kind: 'known', value });

/** The value, or null if there is none. The types require that you handle `unknown` first. */
export const valueOrNull = <T>(answer: Known<T> | None): T | null =>
  answer.kind === 'known' ? answer.value : null;

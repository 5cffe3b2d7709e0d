/** The allowed content at a place in a dialect file. */
export type Shape =
  | { readonly kind: 'text'; readonly oneOf?: readonly string[] }
  | { readonly kind: 'number' }
  /** A scalar, or a list of scalars. */
  | { readonly kind: 'value' }
  /** One text, or a list of texts. */
  | { readonly kind: 'texts' }
  /** Two keys. */
  | { readonly kind: 'pair' }
  | { readonly kind: 'list'; readonly of: Shape }
  /** One, or a list. */
  | { readonly kind: 'several'; readonly of: Shape }
  /** Any value of the framework. */
  | { readonly kind: 'any' }
  /** User-defined keys. */
  | { readonly kind: 'table'; readonly of: Shape }
  | { readonly kind: 'object'; readonly fields: Readonly<Record<string, Field>> };

export interface Field {
  readonly shape: Shape;
  /** The description for users. */
  readonly text: string;
  readonly needed?: true;
}

export const text = (...oneOf: readonly string[]): Shape =>
  oneOf.length > 0 ? { kind: 'text', oneOf } : { kind: 'text' };
export const texts: Shape = { kind: 'texts' };
export const pairs: Shape = { kind: 'list', of: { kind: 'pair' } };

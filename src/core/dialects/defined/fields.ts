/** What may stand at a place of a dialect's file. */
export type Shape =
  | { readonly kind: 'text'; readonly oneOf?: readonly string[] }
  | { readonly kind: 'number' }
  /** A scalar, or a list of them. */
  | { readonly kind: 'value' }
  /** One text, or a list of them. */
  | { readonly kind: 'texts' }
  /** Two keys. */
  | { readonly kind: 'pair' }
  | { readonly kind: 'list'; readonly of: Shape }
  /** One of them, or a list of them. */
  | { readonly kind: 'several'; readonly of: Shape }
  /** Whatever the framework has there. */
  | { readonly kind: 'any' }
  /** Keys of the user's own. */
  | { readonly kind: 'table'; readonly of: Shape }
  | { readonly kind: 'object'; readonly fields: Readonly<Record<string, Field>> };

export interface Field {
  readonly shape: Shape;
  /** For people. */
  readonly text: string;
  readonly needed?: true;
}

export const text = (...oneOf: readonly string[]): Shape =>
  oneOf.length > 0 ? { kind: 'text', oneOf } : { kind: 'text' };
export const texts: Shape = { kind: 'texts' };
export const pairs: Shape = { kind: 'list', of: { kind: 'pair' } };

import type { OomBackend, OomKind } from './report';

/**
 * A message that reports an out-of-memory error. Patterns match the text without any white space, because messages
 * can wrap anywhere; spaces in a pattern are for readability only.
 */
export interface OomForm {
  readonly kind: OomKind;
  readonly pattern: string;
  readonly backend?: OomBackend;
  /** Match single lines with spaces instead. */
  readonly lines?: true;
  /** Where the message was found. */
  readonly source: string;
}

/** Forms of one kind, each as its pattern, where it was found, and what else it says. */
export const formsOf = (
  kind: OomKind,
  rows: readonly (readonly [string, string, Pick<OomForm, 'backend' | 'lines'>?])[],
): readonly OomForm[] => rows.map(([pattern, source, more]) => ({ kind, pattern, source, ...more }));

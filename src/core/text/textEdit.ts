import type { Span } from './span';

/** A replacement in one text; offsets are those before any edit. */
export interface TextEdit {
  readonly span: Span;
  readonly text: string;
}

/** An edit, or a phrase about why there is none. */
export type EditResult =
  | { readonly ok: true; readonly edit: TextEdit }
  | { readonly ok: false; readonly why: string };

/** No edit, with the reason. */
export const refuse = (why: string): EditResult => ({ ok: false, why });

/** One replacement. */
export const edit = (span: Span, text: string): EditResult => ({ ok: true, edit: { span, text } });

/**
 * Applies all edits to a text. Edits at one position keep their order; overlapping edits are a programming error.
 */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const ordered = edits.map((edit, order) => ({ ...edit, order }));
  ordered.sort((a, b) => a.span.start - b.span.start || a.order - b.order);
  let result = '';
  let at = 0;
  for (const { span, text: inserted } of ordered) {
    if (span.start < at) throw new RangeError('Edits overlap.');
    result += text.slice(at, span.start) + inserted;
    at = span.end;
  }
  return result + text.slice(at);
}

import type { Span } from './span';

/** A replacement in one text; offsets of the text before any edit. */
export interface TextEdit {
  readonly span: Span;
  readonly text: string;
}

/** An edit, or a phrase that says why there is none. */
export type EditResult =
  { readonly ok: true; readonly edit: TextEdit } | { readonly ok: false; readonly why: string };

/** No edit, and why. */
export const refuse = (why: string): EditResult => ({ ok: false, why });

/** One replacement. */
export const edit = (span: Span, text: string): EditResult => ({ ok: true, edit: { span, text } });

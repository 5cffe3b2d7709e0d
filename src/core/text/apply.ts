import type { TextEdit } from './textEdit';

/** A text with all edits in it. Edits at one place keep their order; overlapping ones are a programming error. */
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

import { Position, Range } from 'vscode';
import type { TextDocument } from 'vscode';
import { LineIndex } from '../core/text/span';
import type { Span } from '../core/text/span';

/** A span of the document's own text. */
export function rangeOf(document: TextDocument, span: Span): Range {
  return new Range(document.positionAt(span.start), document.positionAt(span.end));
}

/** A span of any text. */
export function rangeIn(text: string, span: Span): Range {
  const lines = new LineIndex(text);
  const position = (offset: number): Position => {
    const { line, column } = lines.placeOf(offset);
    return new Position(line - 1, column - 1);
  };
  return new Range(position(span.start), position(span.end));
}

/** A half-open range of UTF-16 offsets in one text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A position for users: line and column start at 1; the column counts UTF-16 units. */
interface Place {
  readonly line: number;
  readonly column: number;
}

/** True if the offset is in the span or at its end, like a cursor. */
export function touches(span: Span, offset: number): boolean {
  return span.start <= offset && offset <= span.end;
}

/** Maps offsets of one text to lines and columns. Lines end with LF or CRLF; a lone CR is not a line break. */
export class LineIndex {
  private readonly starts: number[] = [0];

  constructor(text: string) {
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.starts.push(at + 1);
  }

  /** The place of an offset; offsets beyond the text are on its last line. */
  placeOf(offset: number): Place {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (this.starts[low] ?? 0) + 1 };
  }

  get lineCount(): number {
    return this.starts.length;
  }
}

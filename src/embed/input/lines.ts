import { isUtf8 } from 'node:buffer';
import { EmbedError } from '../errors';

const NEWLINE = 0x0a;
const RETURN = 0x0d;
/** A longer line (in bytes) is not a text to embed, and would exhaust memory. */
const LONGEST_LINE = 64 * 1024 * 1024;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** The lines of one piece of a file, with the number of the first. */
export interface Lines {
  readonly first: number;
  readonly lines: readonly string[];
}

/**
 * Lines of a byte stream, split only at line feeds: JSON may contain the other characters that some count as line
 * ends. The last line may lack its line feed.
 */
export async function* linesOf(stream: AsyncIterable<Uint8Array>, name: string): AsyncIterable<Lines> {
  const rest = new Rest();
  let number = 1;
  for await (const bytes of stream) {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const end = piece.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      rest.add(piece.subarray(0, end - 1));
      const lines = split(rest.take(), name, number);
      yield { first: number, lines };
      number += lines.length;
    }
    rest.add(piece.subarray(end));
    if (rest.bytes > LONGEST_LINE) {
      throw new EmbedError(
        'bad-input',
        `${name}:${number}: the line has more than 64 MiB. Write one JSON object per line, not one document.`,
      );
    }
  }
  if (rest.bytes > 0) yield { first: number, lines: split(rest.take(), name, number) };
}

/** What has no end yet, piece by piece: put together once, as a line may come in thousands of pieces. */
class Rest {
  bytes = 0;
  private pieces: Buffer[] = [];

  add(piece: Buffer): void {
    if (piece.length === 0) return;
    this.pieces.push(piece);
    this.bytes += piece.length;
  }

  take(): Buffer {
    const whole = Buffer.concat(this.pieces);
    this.pieces = [];
    this.bytes = 0;
    return whole;
  }
}

function split(bytes: Buffer, name: string, first: number): string[] {
  const isStart = first === 1 && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK);
  const whole = isStart ? bytes.subarray(3) : bytes;
  if (isUtf8(whole)) return whole.toString('utf8').split('\n').map(withoutReturn);
  throw new EmbedError(
    'bad-input',
    `${name}:${first + badLine(whole)}: the line is not UTF-8 text; save the file as UTF-8.`,
  );
}

const withoutReturn = (line: string): string =>
  line.charCodeAt(line.length - 1) === RETURN ? line.slice(0, -1) : line;

/** The number of lines before the first one that is not UTF-8. */
function badLine(bytes: Buffer): number {
  let line = 0;
  for (let from = 0; from < bytes.length; line++) {
    const end = bytes.indexOf(NEWLINE, from);
    const to = end < 0 ? bytes.length : end;
    if (!isUtf8(bytes.subarray(from, to))) return line;
    from = to + 1;
  }
  return line;
}

import { EmbedError } from '../errors';

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN, CLOSE, COMMA] = [
  0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d, 0x2c,
];
const BLANK: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);
/** A longer entry (in bytes) is not a record. */
const LONGEST_ENTRY = 64 * 1024 * 1024;

/** Whether a file starts with a list: one JSON document instead of one line per record. */
export function beginsList(piece: Uint8Array): boolean {
  const from = piece[0] === 0xef && piece[1] === 0xbb && piece[2] === 0xbf ? 3 : 0;
  for (let i = from; i < piece.length; i++) {
    const byte = piece[i] ?? 0;
    if (!BLANK.has(byte)) return byte === OPEN_LIST;
  }
  return false;
}

/** Entries of a JSON list as texts, read piece by piece, because a list may be larger than memory. */
export async function* entriesOf(
  stream: AsyncIterable<Uint8Array>,
  name: string,
): AsyncIterable<readonly string[]> {
  const cutter = new EntryCutter(name);
  for await (const piece of stream) {
    const entries = cutter.take(piece);
    if (entries.length > 0) yield entries;
  }
  cutter.end();
}

/** Splits at the commas of the outermost list, tracking only depth and strings. */
class EntryCutter {
  private depth = 0;
  private inText = false;
  private isEscaped = false;
  private isOver = false;
  private rest: Buffer[] = [];
  private restBytes = 0;
  private started = false;

  constructor(private readonly name: string) {}

  take(piece: Uint8Array): readonly string[] {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    const entries: string[] = [];
    let from = 0;
    for (let i = 0; i < bytes.length && !this.isOver; i++) {
      const byte = bytes[i] ?? 0;
      if (this.inText) this.scanInside(byte);
      else if (this.cutsAt(byte)) {
        this.keep(bytes.subarray(from, i));
        from = i + 1;
        this.flush(entries);
      } else if (byte === OPEN_LIST && this.depth === 1 && this.isBefore()) from = i + 1;
    }
    if (!this.isOver) this.keep(bytes.subarray(from));
    return entries;
  }

  end(): void {
    if (this.isOver) return;
    throw new EmbedError('bad-input', `${this.name}: the list of records does not end; the file was cut.`);
  }

  /** Skips to the list's opening bracket, once. */
  private isBefore(): boolean {
    const before = !this.started;
    this.started = true;
    return before;
  }

  private scanInside(byte: number): void {
    if (this.isEscaped) this.isEscaped = false;
    else if (byte === BACKSLASH) this.isEscaped = true;
    else if (byte === QUOTE) this.inText = false;
  }

  private cutsAt(byte: number): boolean {
    if (byte === QUOTE) this.inText = true;
    else if (byte === OPEN || byte === OPEN_LIST) this.depth += 1;
    else if (byte === CLOSE || byte === CLOSE_LIST) {
      this.depth -= 1;
      this.isOver = this.depth === 0;
      return this.isOver;
    } else return byte === COMMA && this.depth === 1;
    return false;
  }

  private keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.restBytes += bytes.length;
    if (this.restBytes > LONGEST_ENTRY) {
      throw new EmbedError('bad-input', `${this.name}: an entry of the list has more than 64 MiB.`);
    }
    // Copied, because the stream may reuse the piece's memory.
    this.rest.push(Buffer.from(bytes));
  }

  private flush(entries: string[]): void {
    const text = Buffer.concat(this.rest).toString('utf8').trim();
    [this.rest, this.restBytes] = [[], 0];
    if (text !== '') entries.push(text);
  }
}

/** The output of a script's function: lines by their first word, bytes, its status and stderr. */
export interface Answer {
  readonly status: number;
  /** The lines in order: the first word, and the rest. */
  readonly entries: readonly (readonly [word: string, rest: string])[];
  readonly bytes: Buffer;
  readonly stderr: string;
}

interface AnswerListener {
  hello(words: string): void;
  answer(id: string, answer: Answer): void;
}

const NEWLINE = 0x0a;
/** Output before the script's first line comes from a login file; keeping its end is enough. */
const MOST_NOISE = 4000;

/**
 * Parses the remote output: lines that begin with `@NONCE `, and bytes whose count was announced before. Everything
 * else is not from the script.
 */
export class AnswerReader {
  noise = '';
  private held: Buffer = Buffer.alloc(0);
  private readonly prefix: string;
  private entries: [string, string][] = [];
  private stderr = '';
  private bytes: Buffer[] = [];
  /** Raw bytes still to come. */
  private raw = 0;

  constructor(
    nonce: string,
    private readonly listener: AnswerListener,
  ) {
    this.prefix = `@${nonce} `;
  }

  add(bytes: Buffer): void {
    this.held = this.held.length === 0 ? bytes : Buffer.concat([this.held, bytes]);
    while (this.takeBytes() || this.takeLine());
  }

  private takeBytes(): boolean {
    if (this.raw === 0 || this.held.length === 0) return false;
    const piece = this.held.subarray(0, this.raw);
    this.bytes.push(piece);
    this.raw -= piece.length;
    this.held = this.held.subarray(piece.length);
    return true;
  }

  private takeLine(): boolean {
    const at = this.raw > 0 ? -1 : this.held.indexOf(NEWLINE);
    if (at < 0) return false;
    const line = this.held.toString('utf8', 0, at);
    this.held = this.held.subarray(at + 1);
    const from = line.lastIndexOf(this.prefix);
    if (from < 0) this.noise = `${this.noise}${line}\n`.slice(-MOST_NOISE);
    else this.readLine(line.slice(from + this.prefix.length));
    return true;
  }

  private readLine(text: string): void {
    const [id, kind, rest] = /^(\S*) ?(\S*) ?(.*)$/s.exec(text)?.slice(1) ?? [];
    if (id === 'hello') this.listener.hello(text.slice('hello '.length));
    else if (kind === 's') this.entries.push(split(rest ?? ''));
    else if (kind === 'e') this.stderr += `${rest}\n`;
    else if (kind === 'b') this.raw = Number(rest);
    else if (kind === 'x') this.finish(id ?? '', Number(rest));
  }

  private finish(id: string, status: number): void {
    const { entries, stderr, bytes } = this;
    this.entries = [];
    this.stderr = '';
    this.bytes = [];
    this.listener.answer(id, { status, entries, stderr, bytes: Buffer.concat(bytes) });
  }
}

function split(text: string): [string, string] {
  const at = text.indexOf(' ');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

/** The longest line that is read in one piece; reinforcement learning prints metrics of about 6,000 characters. */
export const LONGEST = 16_384;

/** The most lines that one record may be wrapped into. */
const MOST_LINES = 12;

/** Records with a separate closing mark: the following lines belong to them until it appears. */
const OPENS: readonly (readonly [opens: RegExp, closes: RegExp])[] = [
  [/\{['"][\w/() -]{1,60}['"]:[^}]*$/, /\}/],
  [/\depoch:train:\d+-\d+batch:(?!.*train_time=)/, /train_time=/],
  [/[^|\s](?=\s*$)(?<=iteration\s+\d+\/\s*\d+ \|.*)/, /\|\s*$/],
  [/^.{0,99}?\bstep:\d+ - .* - [\w/]{1,80}\s*$/, /:/],
  [/\d%\s*$/, /^\s*\d+\/\d+ \[/],
];

/** Lines that begin a new record: a time, a level, a frame, a bar, a rank. */
const BEGINS =
  /^\s*(?:\[|\d{4}[-/]|\d{1,2}[:/]\d|\d{1,3}%|\(|\{|-{3}|\*{3}|(?:INFO|WARN|ERROR|DEBUG|Traceback|File |Epoch|Step|step|iteration|time \(ms\)))/;

/** Joins lines that a narrow terminal or a quotation wrapped. */
export class Records {
  private lines: string[] = [];
  private closes: RegExp | null = null;

  /** The records that this line completes. */
  take(line: string): readonly string[] {
    if (this.closes === null) return this.first(line);
    const closes = this.closes.test(line);
    // What closes only at a line's start is no new record.
    const isNew = BEGINS.test(line) && !(closes && this.closes.source.startsWith('^'));
    const isOther = !closes && this.closes.source.startsWith('^');
    if (isNew || isOther) return [...this.flush(), ...this.first(line)];
    this.lines.push(line);
    return closes || this.lines.length >= MOST_LINES ? this.flush() : [];
  }

  /** The open record, even if incomplete. */
  flush(): readonly string[] {
    const { lines } = this;
    this.lines = [];
    this.closes = null;
    return lines.length > 0 ? [lines.join(' ').slice(-LONGEST)] : [];
  }

  private first(line: string): readonly string[] {
    const opened = OPENS.find(([opens]) => opens.test(line));
    if (!opened) return [line];
    this.lines = [line];
    this.closes = opened[1];
    return [];
  }
}

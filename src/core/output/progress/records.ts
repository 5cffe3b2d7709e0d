/** Longest line that is read as one: metrics of reinforcement learning take some 6,000 characters. */
export const LONGEST = 16_384;

/** Lines that one record may be wrapped into, and its characters. */
const MOST_LINES = 12;

/** Records that end in a word of their own: until it is seen, what follows belongs to them. */
const OPENS: readonly (readonly [opens: RegExp, closes: RegExp])[] = [
  [/\{['"][\w/() -]{1,60}['"]:[^}]*$/, /\}/],
  [/\depoch:train:\d+-\d+batch:(?!.*train_time=)/, /train_time=/],
  [/iteration\s+\d+\/\s*\d+ \|.*[^|\s]\s*$/, /\|\s*$/],
];

/** What begins its own record: a time, a level, a frame, a bar, a rank. */
const BEGINS =
  /^\s*(?:\[|\d{4}[-/]|\d{1,2}[:/]\d|\d{1,3}%|\(|\{|-{3}|\*{3}|(?:INFO|WARN|ERROR|DEBUG|Traceback|File |Epoch|Step|step|iteration|time \(ms\)))/;

/** Joins lines that a narrow terminal or a quotation wrapped. */
export class Records {
  private lines: string[] = [];
  private closes: RegExp | null = null;

  /** The records that are whole with this line. */
  take(line: string): readonly string[] {
    if (this.closes === null) return this.first(line);
    if (BEGINS.test(line)) return [...this.flush(), ...this.first(line)];
    this.lines.push(line);
    const isWhole = this.closes.test(line) || this.lines.length >= MOST_LINES;
    return isWhole ? this.flush() : [];
  }

  /** What is still open, as it stands. */
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

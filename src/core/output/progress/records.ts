/** The longest line that is read in one piece; reinforcement learning prints metrics of about 6,000 characters. */
export const LONGEST = 16_384;

/** The most lines that one record may be wrapped into. */
const MOST_LINES = 12;

/** verl prints about 150 metrics a step. */
const MOST_METRICS = 200;

/** Records with a separate closing mark: the following lines belong to them until it appears. */
const OPENS: readonly (readonly [opens: RegExp, closes: RegExp])[] = [
  [/\{['"][\w/() -]{1,60}['"]:[^}]*$/, /\}/],
  [/\depoch:train:\d+-\d+batch:(?!.*train_time=)/, /train_time=/],
  [/[^|\s](?=\s*$)(?<=iteration\s+\d+\/\s*\d+ \|.*)/, /\|\s*$/],
  // Megatron's, broken behind a bar before its loss.
  [/\|(?=\s*$)(?<=iteration\s+\d+\/\s*\d+ \|(?:(?!loss).)*)/, /nan iterations:/],
  [/^.{0,99}?\bstep:\d+ - .* - [\w/]{1,80}\s*$/, /:/],
  [/\d%\s*$/, /^\s*\d+\/\d+ \[/],
];

/** Lines that begin a new record: a time, a level, a frame, a bar, a rank. */
const BEGINS =
  /^\s*(?:\[|\d{4}[-/]|\d{1,2}[:/]\d|\d{1,3}%|\(|\{|-{3}|\*{3}|(?:INFO|WARN|ERROR|DEBUG|Traceback|File |Epoch|Step|step|iteration(?!s)|time \(ms\)))/;

/** A metric of verl's, where a script prints its dict a line each instead of in one line. */
const METRIC = /^\s{0,12}(?:[-*•]\s)?(\w[\w.@-]{0,60}\/[\w.@/ -]{1,80}):\s?(\S{1,40})\s*$/;

/** Joins lines that a narrow terminal or a quotation wrapped, and metrics a line each. */
export class Records {
  private lines: string[] = [];
  private metrics: string[] = [];
  private closes: RegExp | null = null;

  /** The records that this line completes. */
  take(line: string): readonly string[] {
    const [, name, value] = (this.closes === null ? METRIC.exec(line) : null) ?? [];
    if (name !== undefined && value !== undefined) {
      this.metrics.push(`${name}:${value}`);
      return this.metrics.length < MOST_METRICS ? [] : this.dict();
    }
    return [...this.dict(), ...this.wrapped(line)];
  }

  /** The metrics so far, as verl prints them in one line. */
  private dict(): readonly string[] {
    const { metrics } = this;
    this.metrics = [];
    return metrics.length > 0 ? [metrics.join(' - ')] : [];
  }

  private wrapped(line: string): readonly string[] {
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
    return [...this.dict(), ...(lines.length > 0 ? [lines.join(' ').slice(-LONGEST)] : [])];
  }

  private first(line: string): readonly string[] {
    const opened = OPENS.find(([opens]) => opens.test(line));
    if (!opened) return [line];
    this.lines = [line];
    this.closes = opened[1];
    return [];
  }
}

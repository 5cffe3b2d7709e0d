import { json } from '../../core/text/terminal';
import { visible } from '../../core/text/visible';
import type { EmbedProgress } from '../../embed/run/progress';
import type { Part } from '../../embed/run/windows';
import type { Output } from '../output';

type ProgressKind = 'auto' | 'line' | 'json' | 'none';

/** Progress, for people and for programs. */
export interface ProgressReport {
  readonly text: string;
  readonly document: object;
}

const JSON_MS = 1000;
/** Another program reads this stream: one line per second, which it draws over the last one. */
const LINE_MS = 1000;
const TERMINAL_MS = 250;
/** A log gets fewer lines. */
const LOG_MS = 10_000;

/** Reports a run's progress until it ends. */
export class ProgressReporter {
  private timer: ReturnType<typeof setInterval> | null = null;
  private width = 0;

  constructor(
    private readonly kind: ProgressKind,
    private readonly output: Output,
    private readonly isQuiet: boolean,
    private readonly isTerminal: boolean,
  ) {}

  start(read: () => ProgressReport): void {
    if (this.isQuiet || this.kind === 'none') return;
    this.timer = setInterval(() => this.report(read()), this.everyMs());
    this.timer.unref();
  }

  stop(last: ProgressReport | null): void {
    if (this.timer === null) return;
    clearInterval(this.timer);
    this.timer = null;
    if (last && this.kind === 'json') this.report(last);
    // The last line stays in a file, so that later readers see how the run ended.
    if (last && this.kind === 'line') process.stderr.write(`\r${visible(last.text).padEnd(this.width)}\n`);
    else this.clear();
    this.width = 0;
  }

  /** Call before another message. */
  clear(): void {
    if (this.width > 0) this.draw('');
  }

  private everyMs(): number {
    if (this.kind === 'json') return JSON_MS;
    if (this.kind === 'line') return LINE_MS;
    return this.isTerminal ? TERMINAL_MS : LOG_MS;
  }

  private report({ text, document }: ProgressReport): void {
    if (this.kind === 'json') this.output.err(json(document));
    else if (this.kind === 'line' || this.isTerminal) this.draw(text);
    else this.output.err(text);
  }

  private draw(text: string): void {
    const shown = visible(text);
    process.stderr.write(`\r${shown.padEnd(this.width)}${shown === '' ? '\r' : ''}`);
    this.width = shown.length;
  }
}

/** One line of `--progress json`, which other programs parse. */
export function progressDocument(progress: EmbedProgress, { index, of }: Part) {
  const { rows, rowsTotal, tokens, elapsedS, etaS, rowsPerS, tokensPerS, shards } = progress;
  return {
    event: 'embed-progress',
    // Parts of an array write to one output.
    ...(of > 1 && { part: index + 1, parts: of }),
    rows,
    rowsTotal,
    tokens,
    rowsPerS: rounded(rowsPerS),
    tokensPerS: rounded(tokensPerS),
    elapsedS: rounded(elapsedS),
    etaS: etaS === null ? null : rounded(etaS),
    shards,
  };
}

const rounded = (value: number): number => Math.round(value * 10) / 10;

export function progressText({ rows, rowsTotal, rowsPerS, tokensPerS, etaS }: EmbedProgress): string {
  const share = rowsTotal ? ` (${Math.floor((100 * rows) / rowsTotal)} %)` : '';
  const of = rowsTotal === null ? '' : ` of ${count(rowsTotal)}`;
  const rest = etaS === null ? '' : ` · ${duration(etaS)} left`;
  return `${count(rows)}${of} texts${share} · ${count(Math.round(rowsPerS))} texts/s · ${count(Math.round(tokensPerS))} tokens/s${rest}`;
}

export const count = (value: number): string => value.toLocaleString('en-US');

export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  if (h > 0) return `${h} h ${m} min`;
  return m > 0 ? `${m} min ${s} s` : `${s} s`;
}

/** `40 s`, `4 min`, `2 h 30 min`: as precise as a first estimate. */
export function roughly(seconds: number): string {
  if (seconds < 90) return `${Math.max(10, Math.round(seconds / 10) * 10)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const rounded = Math.round(minutes / 10) * 10;
  return rounded % 60 === 0 ? `${rounded / 60} h` : `${Math.floor(rounded / 60)} h ${rounded % 60} min`;
}

import { bounded } from '../../data/forms/line';
import type { LogLine } from '../../data/forms/line';
import { withoutColors, withoutPrefix } from '../clean';
import { hasBrokenOff, hasEnded } from '../endings';
import { forms } from '../../data/forms/all';
import { ownForms } from '../../data/forms/own';
import { ultralyticsForms } from '../../data/forms/vision';
import { explainOom } from '../oom/explain';
import { barsIn } from './bars';
import { saidBy } from './fields';
import type { Said } from './fields';
import type { Progress, ProgressState } from './progress';
import { LONGEST, Records } from './records';
import { States } from './states';

interface Form extends LogLine {
  readonly finds: RegExp;
}

const compiled = (line: LogLine): Form => ({ ...line, finds: new RegExp(bounded(line.pattern), 'g') });

const known: readonly Form[] = forms.map(compiled);
const withBars = new Set(ultralyticsForms.map(({ pattern }) => pattern));

/** A bar's end has people's words; the bar says more of them than a line by vocabulary would. */
const people = new Set(ownForms.map(({ pattern }) => pattern));

const HEADING = /^\s*Epoch:?\s?\[?(\d+)(?:\s?\/\s?\d+)?\]?:?\s*$/;

/**
 * Reads a program's output, in pieces of any size, as it comes. `lines` are those of the dialect whose program it is: they
 * win over what is known of everybody's. The work is linear in the text.
 */
export class ProgressReader {
  private readonly forms: readonly Form[];
  private readonly states = new States();
  private readonly records = new Records();
  private rest = '';
  private ended = false;
  private brokenOff = false;

  constructor(lines: readonly LogLine[] = []) {
    const patterns = new Set(forms.map(({ pattern }) => pattern));
    const own = lines.filter(({ pattern }) => !patterns.has(pattern));
    this.forms = [...own.map(compiled), ...known];
  }

  /** The next piece of the output. */
  push(text: string): void {
    const parts = (this.rest + text).split(/[\r\n]/);
    const open = parts.pop() ?? '';
    for (const part of parts) this.line(this.cut(part));
    this.rest = this.cut(open);
  }

  /** A line longer than any that is read is taken for several: what is left of it. */
  private cut(line: string): string {
    let at = 0;
    for (; line.length - at > LONGEST; at += LONGEST) this.line(line.slice(at, at + LONGEST));
    return at === 0 ? line : line.slice(at);
  }

  /** The last state; what a line that is not whole yet says is not in it. */
  latest(): ProgressState | null {
    return this.states.all().at(-1) ?? null;
  }

  /** All states until now. */
  all(): readonly ProgressState[] {
    return this.states.all();
  }

  /** The output is over: what it said. */
  end(): Progress {
    this.line(this.rest);
    this.rest = '';
    for (const record of this.records.flush()) this.record(record);
    const failed = this.brokenOff;
    return { states: this.states.all(), finished: this.ended && !failed, failed };
  }

  private line(raw: string): void {
    if (raw.trim() === '') return;
    const line = withoutPrefix(withoutColors(raw));
    for (const record of this.records.take(line)) this.record(record);
  }

  private record(text: string): void {
    this.ended ||= hasEnded(text);
    this.brokenOff ||= hasBrokenOff(text);
    const epoch = HEADING.exec(text)?.[1];
    if (epoch !== undefined) this.states.heading(Number(epoch));
    else if (/\d/.test(text)) for (const said of this.saidIn(text)) this.states.add(said);
  }

  /** What all forms and bars say of one record. The first form that states a field wins. */
  private saidIn(text: string): readonly Said[] {
    const matches = this.forms.flatMap(form =>
      firstMatches(form.finds, text).map(match => ({ form, groups: match.groups ?? {} })),
    );
    const bars = barsIn(text);
    const said = matches
      .filter(({ form }) => (bars.length > 0 ? !people.has(form.pattern) : form.bar !== true))
      .map(({ form, groups }) => saidBy(groups, form))
      .filter(hasAny);
    const ownBar = matches.some(({ form }) => withBars.has(form.pattern));
    return oneOf(ownBar ? [] : bars, said);
  }
}

/** Ranks and processes print into one line at times; more than this is no record of anybody's. */
const MOST_IN_A_LINE = 16;

function firstMatches(pattern: RegExp, text: string): readonly RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  for (const match of text.matchAll(pattern)) {
    if (found.push(match) >= MOST_IN_A_LINE) break;
  }
  return found;
}

const hasAny = ({ state }: Said): boolean => Object.keys(state).length > 0;

/**
 * Lines before bars: a trainer's own count is the one that its bar only draws. Of two lines that state the same field of the
 * same step, the first in the order of forms holds.
 */
function oneOf(bars: readonly Said[], said: readonly Said[]): readonly Said[] {
  if (said.length === 0) return bars;
  const stated = new Set(said.flatMap(({ state }) => Object.keys(state)));
  const rest = bars.map(bar => ({
    ...bar,
    state: Object.fromEntries(
      Object.entries(bar.state).filter(([field]) => field === 'step' || !stated.has(field)),
    ),
  }));
  return [...rest, ...said];
}

/** What a whole output says; also whether it broke off for want of memory. */
export function readProgress(text: string, lines: readonly LogLine[] = []): Progress {
  const reader = new ProgressReader(lines);
  reader.push(text);
  const progress = reader.end();
  return explainOom(text) === null ? progress : { ...progress, finished: false, failed: true };
}

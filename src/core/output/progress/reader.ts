import { finder } from '../../data/forms/line';
import type { LogLine } from '../../data/forms/line';
import { unframed } from '../../text/frame';
import { withoutColors, withoutPrefix } from '../clean';
import { hasBrokenOff, hasEnded } from '../endings';
import { forms } from '../../data/forms/all';
import { ownForms } from '../../data/forms/own';
import { ultralyticsForms } from '../../data/forms/vision';
import { explainOom } from '../oom/explain';
import { barsIn } from './bars';
import { lineFieldsOf } from './fields';
import type { LineFields } from './fields';
import { EPOCH_WORD, printIn } from './prints';
import type { Progress, ProgressState } from './progress';
import { LONGEST, Records } from './records';
import { States } from './states';
import { Tables } from './tables';

interface Form extends LogLine {
  readonly finds: RegExp;
}

const compiled = (line: LogLine): Form => ({ ...line, finds: finder(line.pattern) });

const known: readonly Form[] = forms.map(compiled);
const withBars = new Set(ultralyticsForms.map(({ pattern }) => pattern));

/** Forms that match people's own prints by vocabulary; a bar states more, so lines with a bar skip them. */
const people = new Set(ownForms.map(({ pattern }) => pattern));

/** A line of a block that says one thing a line: `- Loss: 1.2457`. */
const ONE_VALUE = /^\s{0,12}[-*•]?\s?[A-Za-z][\w /.()-]{0,40}\s{0,12}[:=]\s{0,12}~?[-+]?\d.{0,80}$/;

/** The same within a box, as reinforcement learning prints it. */
const BOXED = /^\s{0,8}\|\s{1,8}([A-Za-z]\w{1,40})\s{1,40}\|\s{1,8}(-?\d[\d.e+-]{0,20})\s{0,20}\|\s*$/;

const HEADING = new RegExp(
  String.raw`^[\s*=#-]{0,40}${EPOCH_WORD}:?\s?\[?(\d+)(?:\s?/\s?\d+)?\]?:?[\s*=#-]{0,40}$|\bepoch (?:is |was )?(?:incremented|starts|started|begins)\b.{0,60}?\bepoch: (\d+)`,
  'i',
);

/**
 * Reads a program's output incrementally, in chunks of any size. `lines` are the dialect's own log lines; they win
 * over the generic ones. Takes linear time.
 */
export class ProgressReader {
  private readonly forms: readonly Form[];
  private readonly states = new States();
  private readonly records = new Records();
  private readonly tables = new Tables();
  private rest = '';
  private ended = false;
  private brokenOff = false;
  /** Lines that state one value each, and nothing by themselves. */
  private block: string[] = [];
  /** A known trainer has stated its steps. */
  private counts = false;

  constructor(lines: readonly LogLine[] = []) {
    const patterns = new Set(forms.map(({ pattern }) => pattern));
    const own = lines.filter(({ pattern }) => !patterns.has(pattern));
    this.forms = [...own.map(compiled), ...known];
  }

  /** Adds the next chunk of the output. */
  push(text: string): void {
    const parts = (this.rest + text).split(/[\r\n]/);
    const open = parts.pop() ?? '';
    for (const part of parts) this.line(this.cut(part));
    this.rest = this.cut(open);
  }

  /** Splits a line that exceeds the limit; returns the rest. */
  private cut(line: string): string {
    let at = 0;
    for (; line.length - at > LONGEST; at += LONGEST) this.line(line.slice(at, at + LONGEST));
    return at === 0 ? line : line.slice(at);
  }

  /** The last state, without the incomplete line at the end. */
  latest(): ProgressState | null {
    return this.states.all().at(-1) ?? null;
  }

  /** All states so far. */
  all(): readonly ProgressState[] {
    return this.states.all();
  }

  /** Ends the output and returns its progress. */
  end(): Progress {
    this.line(this.rest);
    this.rest = '';
    for (const record of this.records.flush()) this.record(record);
    this.closeBlock();
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
    const [, boxed, value = ''] = BOXED.exec(text) ?? [];
    if (boxed !== undefined) {
      this.block.push(`${boxed}: ${value}`);
      return;
    }
    // A heading of a group within a box says nothing.
    if (/^\s{0,8}\|\s{0,8}\w{1,30}\/\s{0,40}\|\s{0,40}\|\s*$/.test(text)) return;
    const isPart = ONE_VALUE.test(text);
    if (!isPart) this.closeBlock();
    const [, named, begun = named] = HEADING.exec(text) ?? [];
    if (begun !== undefined) this.states.heading(Number(begun));
    else if (!/\d/.test(text)) this.tables.take(text);
    else {
      const found = this.fieldsIn(text);
      for (const line of found) this.states.add(line);
      if (isPart && found.length === 0) this.block.push(text.trim());
    }
  }

  /** What the lines of a block state together. */
  private closeBlock(): void {
    if (this.block.length > 1) {
      const printed = this.printIn(this.block.join(', '));
      if (printed) this.states.add(printed);
    }
    this.block = [];
  }

  /** The fields that all forms and bars state in one record. The first form that states a field wins. */
  private fieldsIn(text: string): readonly LineFields[] {
    const matches = this.forms.flatMap(form =>
      firstMatches(form.finds, text).map(match => ({ form, groups: match.groups ?? {} })),
    );
    const bars = barsIn(text);
    const lines = matches
      .filter(({ form }) => (bars.length > 0 ? !people.has(form.pattern) : form.bar !== true))
      .map(({ form, groups }) => lineFieldsOf(groups, form))
      .filter(hasAny);
    const ownBar = matches.some(({ form }) => withBars.has(form.pattern));
    this.counts ||= lines.some(({ state }) => state.step !== undefined);
    const isCounted = lines.some(({ state }) => state.step !== undefined || state.epoch !== undefined);
    const hasLoss = lines.some(({ state }) => state.loss !== undefined);
    const isKnown = isCounted && hasLoss;
    const printed = bars.length > 0 ? null : this.printIn(text, isKnown);
    const row = lines.length > 0 || bars.length > 0 || printed !== null ? null : this.tables.take(text);
    if (row) return [row];
    return oneOf(ownBar ? [] : bars, printed ? [together(printed, lines)] : lines);
  }

  /** A line of someone's own; a summary of an epoch is none if the trainer itself counts steps. */
  private printIn(text: string, isKnown = false): LineFields | null {
    const printed = printIn(text);
    if (isKnown) return addedTo(printed);
    return printed?.state.step === undefined && this.counts ? null : printed;
  }
}

/** Of a line that a form knows, only the memory and the learning rate, which trainers add to it. */
function addedTo(line: LineFields | null): LineFields | null {
  const { memory, learningRate } = line?.state ?? {};
  if (line === null || (memory === undefined && learningRate === undefined)) return null;
  return {
    ...line,
    state: { ...(memory && { memory }), ...(learningRate !== undefined && { learningRate }) },
  };
}

/** Ranks and processes sometimes print into one line; a real record has no more than this many. */
const MOST_IN_A_LINE = 16;

/** By the pattern itself: `matchAll` copies it, for each of some hundred forms and each line. */
function firstMatches(pattern: RegExp, text: string): readonly RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    if (found.push(match) >= MOST_IN_A_LINE) break;
    if (match[0] === '') pattern.lastIndex += 1;
  }
  return found;
}

/** The line as people print it, with what known forms state of it. */
const together = ({ state, weak }: LineFields, lines: readonly LineFields[]): LineFields => ({
  state: lines.reduce((all, line) => ({ ...all, ...line.state }), state),
  weak,
});

const hasAny = ({ state }: LineFields): boolean => Object.keys(state).length > 0;

/**
 * Lines win over bars: a bar only draws the trainer's own count. If two lines state the same field of the same
 * step, the first in the order of forms wins.
 */
function oneOf(bars: readonly LineFields[], lines: readonly LineFields[]): readonly LineFields[] {
  if (lines.length === 0) return bars;
  const stated = new Set(lines.flatMap(({ state }) => Object.keys(state)));
  const rest = bars.map(bar => ({
    ...bar,
    state: Object.fromEntries(
      Object.entries(bar.state).filter(([field]) => field === 'step' || !stated.has(field)),
    ),
  }));
  return [...rest, ...lines];
}

/** Amounts of memory by the text's own names for columns: other versions of a program spell them otherwise. */
function spelled(progress: Progress, text: string): Progress {
  const names = new Set(progress.states.flatMap(({ memory = [] }) => memory.map(({ what }) => what)));
  const other = [...names].filter(what => /^\w+$/.test(what) && !text.includes(what));
  if (other.length === 0) return progress;
  const lower = text.toLowerCase();
  const own = new Map(
    other.flatMap(what => {
      const at = lower.indexOf(what.toLowerCase());
      return at < 0 ? [] : [[what, text.slice(at, at + what.length)] as const];
    }),
  );
  const states = progress.states.map(state =>
    state.memory === undefined
      ? state
      : { ...state, memory: state.memory.map(one => ({ ...one, what: own.get(one.what) ?? one.what })) },
  );
  return { ...progress, states };
}

/** The progress in a whole output; also detects whether it ran out of memory. */
export function readProgress(text: string, lines: readonly LogLine[] = []): Progress {
  const reader = new ProgressReader(lines);
  reader.push(unframed(text));
  const progress = spelled(reader.end(), text);
  return explainOom(text) === null ? progress : { ...progress, finished: false, failed: true };
}

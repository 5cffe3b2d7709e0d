import type { RunAnalysis } from '../rules/analysis';
import { outcomeOf } from '../plan/outcome';
import { isTimed, runSpeed } from '../plan/speed';
import { USUAL_STEPS } from '../speed/speed';
import type { Speed } from '../speed/speed';
import { becameBetter, becameWorse } from '../plan/runChanges';
import type { RunChange, ValueChange } from '../plan/runChanges';
import type { Quantity } from '../spec/quantity';
import type { DeviceEstimate } from '../memory/estimate';
import { verdictWord } from '../memory/words';
import type { Json } from '../text/json';
import { mdCode, mdJoined, mdParagraphs, mdTable, mdText, Markdown } from '../text/markdown';
import type { Words } from '../text/markdown';
import { lines, terminal } from '../text/terminal';
import type { Paint, TerminalText } from '../text/terminal';
import { counted, formatBytes } from '../units';
import { isAsLong, rangeAsJson, shortDollars, shortDuration, stepsText, timeChange } from './speed';
import { describeValue, displayName, sourceKey } from './origin';
import { english } from '../text/say';

/** A pull request's comment can be found again by its first line. */
const COMMENT_MARK = '<!-- headroom-diff -->';
/** A table of more runs is not read; the rest is counted. */
const MOST_ROWS = 50;
const MOST_VALUES = 6;

/** The output of `diff --json`: schema `headroom/1`. Deterministic. */
export function changesAsJson(changes: readonly RunChange[]): Json {
  return { schema: 'headroom/1', changes: changes.map(changeAsJson) };
}

const changeAsJson = (change: RunChange): Json => ({
  file: change.file,
  run: change.run,
  kind: kindOf(change),
  worse: becameWorse(change),
  before: change.before && stateAsJson(change.before),
  after: change.after && stateAsJson(change.after),
  values: change.values.map(({ name, before, after }) => ({
    name,
    key: sourceKey(name, after),
    from: before.value as Json,
    to: after.value as Json,
  })),
});

function stateAsJson(run: RunAnalysis): Json {
  const { device, effectiveBatch } = outcomeOf(run);
  const bytes = device && { ...device.device };
  const speed = speedOf(run);
  return {
    verdict: run.verdict,
    gpu: device?.capacityBytes === null ? null : (device?.name ?? null),
    bytes: bytes && { low: bytes.low, expected: bytes.expected, high: bytes.high },
    capacityBytes: device?.capacityBytes ?? null,
    effectiveBatch,
    hours: speed && rangeAsJson(speed.hours),
    dollars: speed?.dollars ? rangeAsJson(speed.dollars) : null,
    steps: speed && (speed.length?.steps ?? USUAL_STEPS),
    missing: [...run.missing],
  };
}

function kindOf({ before, after }: RunChange): 'added' | 'removed' | 'changed' {
  if (!before) return 'added';
  return after ? 'changed' : 'removed';
}

/** One line that says how many runs changed and how many of them stopped fitting. */
export function changesSummary(changes: readonly RunChange[]): string {
  if (changes.length === 0) return 'No run needs more or less GPU memory.';
  const worse = changes.filter(becameWorse);
  const exceeding = worse.filter(({ after }) => after?.verdict === 'exceeds').length;
  const tight = worse.length - exceeding;
  const better = changes.filter(becameBetter).length;
  const parts = [
    ...(exceeding > 0 ? [`${exceeding} ${exceeding === 1 ? 'does' : 'do'} not fit now`] : []),
    ...(tight > 0 ? [`${tight} ${tight === 1 ? 'is' : 'are'} tight now`] : []),
    ...(better > 0 ? [`${better} ${better === 1 ? 'needs' : 'need'} less now`] : []),
  ];
  return `${counted(changes.length, 'run')} changed${parts.length > 0 ? `: ${parts.join(', ')}` : ''}.`;
}

/** `headroom diff` in a terminal: a block for each run. */
export function changesText(changes: readonly RunChange[], paint: Paint): TerminalText {
  return lines([...changes.flatMap(change => blockOf(change, paint)), terminal`${changesSummary(changes)}`]);
}

function blockOf(change: RunChange, paint: Paint): readonly TerminalText[] {
  const mark = becameWorse(change) ? paint.bad('✗') : becameBetter(change) ? paint.good('✓') : terminal`·`;
  const cells = cellsOf(change).filter(([, text]) => text !== '');
  return [
    terminal`${mark} ${paint.bold(titleOf(change))}`,
    ...cells.map(([name, text]) => terminal`    ${paint.dim(`${name}:`)} ${text}`),
  ];
}

/** `headroom diff --markdown`: a comment for a pull request; '' if nothing changed. */
export function changesMarkdown(changes: readonly RunChange[]): string {
  if (changes.length === 0) return '';
  const shown = changes.slice(0, MOST_ROWS).map(change => ({ change, cells: cellsOf(change) }));
  const said = new Set(
    shown.flatMap(({ cells }) => cells.flatMap(([name, text]) => (text === '' ? [] : [name]))),
  );
  const rows = shown.map(({ change, cells }): readonly Words[] => [
    markOf(change),
    runWords(change),
    ...cells.filter(([name]) => said.has(name)).map(([, text]) => mdText`${text}`),
  ]);
  const titles = (shown[0]?.cells ?? []).flatMap(([name]) => (said.has(name) ? [TITLES[name]] : []));
  const rest =
    changes.length > MOST_ROWS ? mdText`… and ${counted(changes.length - MOST_ROWS, 'run')} more.` : '';
  const table = mdTable([['', 'Run', ...titles], ...rows], { alignDelimiters: false });
  const title = mdText`### GPU memory: ${changesSummary(changes)}`;
  return mdParagraphs([Markdown.trusted(COMMENT_MARK), title, table, rest]).source;
}

const runWords = ({ file, run }: RunChange): Markdown =>
  mdJoined([mdCode(file), ...(run === '' ? [] : [mdText`${run}`])], ' ');

const markOf = (change: RunChange): string => (becameWorse(change) ? '❌' : becameBetter(change) ? '✅' : '');

const titleOf = ({ file, run }: RunChange): string => (run === '' ? file : `${file} · ${run}`);

/** What is said of a run, with the title of its column. */
const TITLES = {
  memory: 'GPU memory',
  verdict: 'Verdict',
  'effective batch': 'Effective batch',
  time: 'Time',
  cost: 'Cost',
  'because of': 'Because of',
} as const;

/** The facts of a change, each with its name; '' where there is nothing to say. */
function cellsOf(change: RunChange): readonly (readonly [name: keyof typeof TITLES, text: string])[] {
  const { before, after, values } = change;
  const [from, to] = [before && outcomeOf(before), after && outcomeOf(after)];
  const [was, is] = [before && speedOf(before), after && speedOf(after)];
  return [
    ['memory', arrow(memoryOf(from?.device ?? null, before), memoryOf(to?.device ?? null, after))],
    ['verdict', arrow(verdictOf(before), verdictOf(after))],
    ['effective batch', arrow(countOf(from?.effectiveBatch), countOf(to?.effectiveBatch))],
    ['time', timeText(was, is)],
    ['cost', costText(was, is)],
    ['because of', kindOf(change) === 'changed' ? valuesText(values) : `the run is ${kindOf(change)}`],
  ];
}

function memoryOf(device: DeviceEstimate | null, run: RunAnalysis | null): string | null {
  if (run === null) return null;
  if (run.estimate?.onMachine) return 'CPU';
  return device === null ? 'unknown' : formatBytes(device.device.expected);
}

function verdictOf(run: RunAnalysis | null): string | null {
  if (run === null) return null;
  const device = run.estimate?.devices[0];
  const gpu = device === undefined || device.capacityBytes === null ? '' : ` on ${device.name}`;
  return `${verdictWord(english, run.verdict)}${gpu}`;
}

/** The speed of a training; null if it is unknown. */
function speedOf(run: RunAnalysis): Speed | null {
  const speed = isTimed(run) ? runSpeed(run) : null;
  return speed?.ok === true ? speed : null;
}

/** Hours compare for runs of known length, or for steps that process the same. */
const isComparable = (was: Speed, is: Speed): boolean =>
  (was.length !== null && is.length !== null) ||
  (was.length === is.length && was.perStep === is.perStep && was.unit === is.unit);

/** `3.2 h → 1.9 h for 500 steps`; where hours do not compare: `18 % less time per token`. */
function timeText(was: Speed | null, is: Speed | null): string {
  const last = is ?? was;
  if (last === null) return '';
  if (was && is && !isComparable(was, is)) {
    const time = { was, is, isRatioOnly: true };
    return was.unit !== is.unit || isAsLong(time)
      ? ''
      : `${timeChange(english, time)} per ${is.unit.slice(0, -1)}`;
  }
  const hours = arrow(was && shortDuration(was.hours), is && shortDuration(is.hours));
  return `${hours} for ${arrow(was && stepsText(english, was), is && stepsText(english, is))}`;
}

/** `$5.20 → $3.10`; '' where hours do not compare or no price is known. */
function costText(was: Speed | null, is: Speed | null): string {
  if (was && is && !isComparable(was, is)) return '';
  return arrow(was && shortDollars(was), is && shortDollars(is));
}

function countOf(count: number | null | undefined): string | null {
  if (count === undefined) return null;
  return count === null ? 'unknown' : String(count);
}

/** `21.4 GB → 29.6 GB`; one of them if they are the same or the other is missing. */
function arrow(from: string | null, to: string | null): string {
  if (from === null || to === null || from === to) return to ?? from ?? '';
  return `${from} → ${to}`;
}

const isStated = ({ origin: { kind } }: Quantity<unknown>): boolean =>
  kind === 'file' || kind === 'referenced';

/** The values that files state; those that follow from them only if there are no others. */
function valuesText(values: readonly ValueChange[]): string {
  const stated = values.filter(({ before, after }) => isStated(before) || isStated(after));
  const texts = (stated.length > 0 ? stated : values).map(
    ({ name, before, after }) =>
      `${displayName(english, name)} ${describeValue(english, before)} → ${describeValue(english, after)}`,
  );
  const rest = texts.length - MOST_VALUES;
  const shown = texts.slice(0, MOST_VALUES).join('; ');
  if (texts.length === 0) return 'settings around the config';
  return rest > 0 ? `${shown}; and ${rest} more` : shown;
}

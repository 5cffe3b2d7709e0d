import { markdownTable } from 'markdown-table';
import type { ComparedPlace } from '../plan/places/fit';
import type { DeviceEstimate } from '../memory/estimate';
import type { Advice, Plan } from '../plan/plan';
import { answerText, placeTexts } from './compare';
import { partLabel } from './parts';
import { escape } from './hover';
import { phaseRows } from './planChart';
import { phaseInWords } from '../memory/words';
import { formatBytes, formatDelta, gigabytes } from '../units';
import { room, VERDICT_WORDS } from '../memory/words';

/** What a plan's page shows beside the plan. */
export interface PlanPageOptions {
  /** The config that it is for. */
  readonly file: string;
  readonly title: string;
  /** Address of the chart's picture; null where pictures cannot be shown. */
  readonly chart: string | null;
  readonly advice: readonly Advice[];
  /** The run as it is and with the plan, on the same GPUs in the same order; null while that is worked out. */
  readonly elsewhere: Elsewhere | null;
}

export interface Elsewhere {
  readonly before: readonly ComparedPlace[];
  readonly after: readonly ComparedPlace[];
}

/** A plan as a Markdown page: what it changes, the run before and after it by term and phase, and on other GPUs. */
export function planPage(plan: Plan, options: PlanPageOptions): string {
  const { before, after } = plan;
  const parts = [`# ${escape(options.title)}`, escape(summary(plan))];
  parts.push(
    changeTable(plan, options.file),
    `${escape(sentence(plan.effect))} ${escape(sentence(plan.reason))}`,
  );
  parts.push('## Before and after');
  if (options.chart) parts.push(`![${escape(inWords(before, after))}](${options.chart})`);
  parts.push('Memory at the peak, by term:', termTable(before, after));
  parts.push('What torch holds in each phase:', phaseTable(before, after));
  parts.push(...adviceParts(options.advice), ...elsewhereParts(options));
  parts.push('1 GB = 2³⁰ bytes.');
  return `${parts.join('\n\n')}\n`;
}

const sentence = (text: string): string =>
  text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

function summary({ before, after }: Plan): string {
  const is = `${needOf(after)}: ${VERDICT_WORDS[after.verdict]}`;
  return before ? `${needOf(before)}: ${VERDICT_WORDS[before.verdict]} → ${is}.` : `${is}.`;
}

const needOf = (device: DeviceEstimate): string =>
  `≈ ${formatBytes(device.device.expected)}${device.capacityBytes === null ? '' : ` of ${room(device)}`}`;

function changeTable({ edits }: Plan, file: string): string {
  return edits.map(edit => `- \`${partLabel(edit, file).replaceAll('`', '')}\``).join('\n');
}

/** What the picture shows, for those who do not see it. */
function inWords(before: DeviceEstimate | null, after: DeviceEstimate): string {
  const was = before ? `${formatBytes(before.device.expected)} before, ` : '';
  return `Memory at the peak: ${was}${formatBytes(after.device.expected)} after. The tables below have the numbers.`;
}

function termTable(before: DeviceEstimate | null, after: DeviceEstimate): string {
  const names = [...new Set([...(before?.terms ?? []), ...after.terms].map(({ term }) => term))];
  const bytesOf = (device: DeviceEstimate | null, name: string): number =>
    device?.terms.filter(({ term }) => term === name).reduce((sum, { bytes }) => sum + bytes, 0) ?? 0;
  const rows = names.map(name => changeRow(name, before && bytesOf(before, name), bytesOf(after, name)));
  const sum = changeRow('device memory', before?.device.expected ?? null, after.device.expected);
  const said = [...rows, sum.map(cell => (cell === '' ? '' : `**${cell}**`))];
  return markdownTable([['at the peak', 'before', 'after', 'change'], ...said], {
    align: ['l', 'r', 'r', 'r'],
  });
}

function phaseTable(before: DeviceEstimate | null, after: DeviceEstimate): string {
  const rows = phaseRows(before, after).map(({ name, was, is }) => changeRow(name, was, is));
  const peaks = [before, after].map(device => (device ? phaseInWords(device.peakPhase) : ''));
  const peak = ['peak in the', ...peaks.map(escape), ''];
  return markdownTable([['phase', 'before', 'after', 'change'], ...rows, peak], {
    align: ['l', 'r', 'r', 'r'],
  });
}

function changeRow(name: string, was: number | null, is: number | null): string[] {
  const size = (bytes: number | null): string => (bytes === null ? '' : `${gigabytes(bytes)}&nbsp;GB`);
  const change = was === null || is === null ? '' : changeText(is - was);
  return [escape(name), size(was), size(is), change];
}

/** As narrow as it goes: a cell of its own width. */
const changeText = (bytes: number): string =>
  formatDelta(bytes).replace('no change in memory', '=').replace(' ', '&nbsp;');

function adviceParts(advice: readonly Advice[]): string[] {
  if (advice.length === 0) return [];
  const said = advice.flatMap(({ text, why }) => [escape(sentence(why)), fenced(text)]);
  return ['## Outside the config', ...said];
}

/** A block of its own, which the reader copies by itself. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}sh\n${text}\n${fence}`;
}

function elsewhereParts({ elsewhere, file }: PlanPageOptions): string[] {
  if (elsewhere === null) return ['## On other GPUs', 'Calculating …'];
  const rows = elsewhere.after.flatMap(row => {
    const was = elsewhere.before.find(({ place }) => place.id === row.place.id);
    const { where, gpu, memory } = placeTexts(row, file);
    const answers = [was ? answerIn(was) : '', answerIn(row)];
    return [[where, gpu, memory, ...answers].map(cell => escape(cell).replaceAll('|', '/'))];
  });
  if (rows.length === 0) return [];
  const head = ['where', 'GPU', 'memory', 'before', 'after'];
  return ['## On other GPUs', markdownTable([head, ...rows])];
}

function answerIn(row: ComparedPlace): string {
  const { need } = row.fit;
  return need ? `${formatBytes(need.expected)} · ${answerText(row)}` : answerText(row);
}

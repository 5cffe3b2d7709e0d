import type { ComparedPlace } from '../plan/places/fit';
import type { DeviceEstimate } from '../memory/estimate';
import type { Advice, Plan } from '../plan/plan';
import { answerText, placeTexts } from './compare';
import { planTimeText } from './speed';
import { partLabel } from './parts';
import { mdText, mdCode, mdFence, mdJoined, mdParagraphs, mdPicture, mdTable } from '../text/markdown';
import type { Markdown, Words } from '../text/markdown';
import { phaseRows } from './planChart';
import { STEP_COLUMNS, stepTable } from './steps';
import { phaseText } from '../memory/words';
import { formatBytes, formatDelta, gigabytes } from '../units';
import { room, VERDICT_WORDS } from '../memory/words';

/** The content of a plan's page in addition to the plan. */
interface PlanPageOptions {
  /** The plan's config. */
  readonly file: string;
  readonly title: string;
  /** Address of the chart's picture; null if pictures cannot be shown. */
  readonly chart: string | null;
  readonly advice: readonly Advice[];
  /** All steps, if the plan is one of them, and the address of their chart. */
  readonly steps?: { readonly plans: readonly Plan[]; readonly chart: string | null };
  /** The run before and with the plan, on the same GPUs in the same order; null while it is computed. */
  readonly elsewhere: Elsewhere | null;
}

export interface Elsewhere {
  readonly before: readonly ComparedPlace[];
  readonly after: readonly ComparedPlace[];
}

/** A plan as a Markdown page: its changes, the run before and after it by term and phase, and on other GPUs. */
export function planPage(plan: Plan, options: PlanPageOptions): Markdown {
  const { before, after } = plan;
  const parts: Words[] = [mdText`# ${options.title}`, summary(plan)];
  parts.push(changeTable(plan, options.file), mdText`${sentence(plan.effect)} ${sentence(plan.reason)}`);
  if (plan.time) parts.push(sentence(planTimeText(plan.time)));
  parts.push(...stepParts(options));
  parts.push(mdText`## Before and after`);
  if (options.chart) parts.push(mdPicture(altText(before, after), options.chart));
  parts.push('Memory at the peak, by term:', termTable(before, after));
  parts.push('What torch holds in each phase:', phaseTable(before, after));
  parts.push(...adviceParts(options.advice), ...elsewhereParts(options));
  parts.push('1 GB = 2³⁰ bytes.');
  return mdText`${mdParagraphs(parts)}\n`;
}

/** The steps to a full GPU: memory, share of the GPU, time and learning rate of each. */
function stepParts({ steps }: PlanPageOptions): Markdown[] {
  const rows = stepTable(steps?.plans ?? []);
  if (rows.length === 0) return [];
  const words = 'Memory after each step. The table below has the numbers.';
  return [
    mdText`## Step by step`,
    ...(steps?.chart ? [mdPicture(words, steps.chart)] : []),
    mdTable(rows, STEP_COLUMNS),
  ];
}

const sentence = (text: string): string =>
  text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

function summary({ before, after }: Plan): string {
  const is = `${needOf(after)}: ${VERDICT_WORDS[after.verdict]}`;
  return before ? `${needOf(before)}: ${VERDICT_WORDS[before.verdict]} → ${is}.` : `${is}.`;
}

const needOf = (device: DeviceEstimate): string =>
  `≈ ${formatBytes(device.device.expected)}${device.capacityBytes === null ? '' : ` of ${room(device)}`}`;

function changeTable({ edits }: Plan, file: string): Markdown {
  const changes = edits.map(edit => mdText`- ${mdCode(partLabel(edit, file))}`);
  return mdJoined(changes, '\n');
}

/** A text alternative for the picture. */
function altText(before: DeviceEstimate | null, after: DeviceEstimate): string {
  const was = before ? `${formatBytes(before.device.expected)} before, ` : '';
  return `Memory at the peak: ${was}${formatBytes(after.device.expected)} after. The tables below have the numbers.`;
}

function termTable(before: DeviceEstimate | null, after: DeviceEstimate): Markdown {
  const names = [...new Set([...(before?.terms ?? []), ...after.terms].map(({ term }) => term))];
  const bytesOf = (device: DeviceEstimate | null, name: string): number =>
    device?.terms.filter(({ term }) => term === name).reduce((sum, { bytes }) => sum + bytes, 0) ?? 0;
  const rows = names.map(name => changeRow(name, before && bytesOf(before, name), bytesOf(after, name)));
  const sum = changeRow('device memory', before?.device.expected ?? null, after.device.expected);
  const allRows = [...rows, sum.map(cell => (cell === '' ? '' : mdText`**${cell}**`))];
  return mdTable([['at the peak', 'before', 'after', 'change'], ...allRows], {
    align: ['l', 'r', 'r', 'r'],
  });
}

function phaseTable(before: DeviceEstimate | null, after: DeviceEstimate): Markdown {
  const rows = phaseRows(before, after).map(({ name, was, is }) => changeRow(name, was, is));
  const peaks = [before, after].map(device => (device ? phaseText(device.peakPhase) : ''));
  const peak = ['peak in the', ...peaks, ''];
  return mdTable([['phase', 'before', 'after', 'change'], ...rows, peak], {
    align: ['l', 'r', 'r', 'r'],
  });
}

function changeRow(name: string, was: number | null, is: number | null): Words[] {
  const size = (bytes: number | null): Words => (bytes === null ? '' : mdText`${gigabytes(bytes)}&nbsp;GB`);
  const change = was === null || is === null ? '' : changeText(is - was);
  return [name, size(was), size(is), change];
}

/** As narrow as possible, in a separate cell. */
const changeText = (bytes: number): Markdown =>
  mdJoined(formatDelta(bytes).replace('no change in memory', '=').split(' '), '&nbsp;');

function adviceParts(advice: readonly Advice[]): Words[] {
  if (advice.length === 0) return [];
  const parts = advice.flatMap(({ text, why }) => [sentence(why), mdFence(text, 'sh')]);
  return [mdText`## Outside the config`, ...parts];
}

function elsewhereParts({ elsewhere, file }: PlanPageOptions): Words[] {
  if (elsewhere === null) return [mdText`## On other GPUs`, 'Calculating …'];
  const rows = elsewhere.after.flatMap(row => {
    const was = elsewhere.before.find(({ place }) => place.id === row.place.id);
    const { where, gpu, memory } = placeTexts(row, file);
    const answers = [was ? answerIn(was) : '', answerIn(row)];
    return [[where, gpu, memory, ...answers].map(cell => cell.replaceAll('|', '/'))];
  });
  if (rows.length === 0) return [];
  const head = ['where', 'GPU', 'memory', 'before', 'after'];
  return [mdText`## On other GPUs`, mdTable([head, ...rows])];
}

function answerIn(row: ComparedPlace): string {
  const { need } = row.fit;
  return need ? `${formatBytes(need.expected)} · ${answerText(row)}` : answerText(row);
}

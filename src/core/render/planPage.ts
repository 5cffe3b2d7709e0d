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
import { room, termInWords, verdictWord } from '../memory/words';
import { english } from '../text/say';
import type { Say } from '../text/say';

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
export function planPage(plan: Plan, options: PlanPageOptions, say: Say = english): Markdown {
  const { before, after } = plan;
  const parts: Words[] = [mdText`# ${options.title}`, summary(say, plan)];
  parts.push(
    changeTable(say, plan, options.file),
    mdText`${sentence(say, plan.effect)} ${sentence(say, plan.reason)}`,
  );
  if (plan.time) parts.push(sentence(say, planTimeText(say, plan.time)));
  parts.push(...stepParts(say, options));
  parts.push(mdText`## ${say('Before and after')}`);
  if (options.chart) parts.push(mdPicture(altText(say, before, after), options.chart));
  parts.push(say('Memory at the peak, by term:'), termTable(say, before, after));
  parts.push(say('What torch holds in each phase:'), phaseTable(say, before, after));
  parts.push(...adviceParts(say, options.advice), ...elsewhereParts(say, options));
  parts.push(say('1 GB = 2³⁰ bytes.'));
  return mdText`${mdParagraphs(parts)}\n`;
}

/** The steps to a full GPU: memory, share of the GPU, time and learning rate of each. */
function stepParts(say: Say, { steps }: PlanPageOptions): Markdown[] {
  const rows = stepTable(steps?.plans ?? [], say);
  if (rows.length === 0) return [];
  const words = say('Memory after each step. The table below has the numbers.');
  return [
    mdText`## ${say('Step by step')}`,
    ...(steps?.chart ? [mdPicture(words, steps.chart)] : []),
    mdTable(rows, STEP_COLUMNS),
  ];
}

const sentence = (say: Say, text: string): string =>
  text === '' ? '' : say('{0}.', `${text.charAt(0).toUpperCase()}${text.slice(1)}`);

function summary(say: Say, { before, after }: Plan): string {
  const of = (device: DeviceEstimate): string =>
    say('{0}: {1}', needOf(say, device), verdictWord(say, device.verdict));
  return say('{0}.', before ? `${of(before)} → ${of(after)}` : of(after));
}

function needOf(say: Say, device: DeviceEstimate): string {
  const need = formatBytes(device.device.expected);
  return device.capacityBytes === null ? `≈ ${need}` : say('≈ {0} of {1}', need, room(say, device));
}

function changeTable(say: Say, { edits }: Plan, file: string): Markdown {
  const changes = edits.map(edit => mdText`- ${mdCode(partLabel(edit, file, say))}`);
  return mdJoined(changes, '\n');
}

/** A text alternative for the picture. */
function altText(say: Say, before: DeviceEstimate | null, after: DeviceEstimate): string {
  const is = formatBytes(after.device.expected);
  return before
    ? say(
        'Memory at the peak: {0} before, {1} after. The tables below have the numbers.',
        formatBytes(before.device.expected),
        is,
      )
    : say('Memory at the peak: {0} after. The tables below have the numbers.', is);
}

function termTable(say: Say, before: DeviceEstimate | null, after: DeviceEstimate): Markdown {
  const names = [...new Set([...(before?.terms ?? []), ...after.terms].map(({ term }) => term))];
  const bytesOf = (device: DeviceEstimate | null, name: string): number =>
    device?.terms.filter(({ term }) => term === name).reduce((sum, { bytes }) => sum + bytes, 0) ?? 0;
  const rows = names.map(name =>
    changeRow(termInWords(say, name), before && bytesOf(before, name), bytesOf(after, name)),
  );
  const sum = changeRow(say('device memory'), before?.device.expected ?? null, after.device.expected);
  const allRows = [...rows, sum.map(cell => (cell === '' ? '' : mdText`**${cell}**`))];
  return mdTable([headOf(say, say('at the peak')), ...allRows], { align: ['l', 'r', 'r', 'r'] });
}

const headOf = (say: Say, first: string): string[] => [first, say('before'), say('after'), say('change')];

function phaseTable(say: Say, before: DeviceEstimate | null, after: DeviceEstimate): Markdown {
  const rows = phaseRows(say, before, after).map(({ name, was, is }) => changeRow(name, was, is));
  const peaks = [before, after].map(device => (device ? phaseText(say, device.peakPhase) : ''));
  const peak = [say('peak in the'), ...peaks, ''];
  return mdTable([headOf(say, say('phase')), ...rows, peak], { align: ['l', 'r', 'r', 'r'] });
}

function changeRow(name: string, was: number | null, is: number | null): Words[] {
  const size = (bytes: number | null): Words => (bytes === null ? '' : mdText`${gigabytes(bytes)}&nbsp;GB`);
  const change = was === null || is === null ? '' : changeText(is - was);
  return [name, size(was), size(is), change];
}

/** As narrow as possible, in a separate cell. */
const changeText = (bytes: number): Markdown => mdJoined((formatDelta(bytes) ?? '=').split(' '), '&nbsp;');

function adviceParts(say: Say, advice: readonly Advice[]): Words[] {
  if (advice.length === 0) return [];
  const parts = advice.flatMap(({ text, why }) => [sentence(say, why), mdFence(text, 'sh')]);
  return [mdText`## ${say('Outside the config')}`, ...parts];
}

function elsewhereParts(say: Say, { elsewhere, file }: PlanPageOptions): Words[] {
  const title = mdText`## ${say('On other GPUs')}`;
  if (elsewhere === null) return [title, say('Calculating …')];
  const rows = elsewhere.after.flatMap(row => {
    const was = elsewhere.before.find(({ place }) => place.id === row.place.id);
    const { where, gpu, memory } = placeTexts(row, file, say);
    const answers = [was ? answerIn(say, was) : '', answerIn(say, row)];
    return [[where, gpu, memory, ...answers].map(cell => cell.replaceAll('|', '/'))];
  });
  if (rows.length === 0) return [];
  const head = [say('where'), 'GPU', say('memory'), say('before'), say('after')];
  return [title, mdTable([head, ...rows])];
}

function answerIn(say: Say, row: ComparedPlace): string {
  const { need } = row.fit;
  const text = answerText(row, say);
  return need ? `${formatBytes(need.expected)} · ${text}` : text;
}

import { proofText } from '../plan/arithmetic';
import { isTimed, runSpeed, serverSpeed } from '../plan/speed';
import { describeServedSpeed, describeSpeed, planTimeText } from './speed';
import type { Analysis, RunAnalysis } from '../rules/analysis';
import type { DataLengths } from '../learn/dataLengths';
import { definesDialect } from '../text/paths';
import { block, lines as inLines, paragraphs, table, terminal } from '../text/terminal';
import type { Paint, Shown, TerminalText } from '../text/terminal';
import type { DeviceEstimate, Estimate } from '../memory/estimate';
import type { Goal, PlanSearch } from '../plan/plan';
import type { Finding } from '../rules/rule';
import type { Severity } from '../spec/conditions';
import { describeOrigin, describeValue, displayName, shownQuantities } from './origin';
import { planTitle } from './fix';
import { describeEvidence } from './evidence';
import { STEP_COLUMNS, stepTable } from './steps';
import {
  fittingGpusText,
  describeReleased,
  describeHostMemory,
  noneHeadline,
  describePlacement,
} from './sentences';
import { describeDataLengths, lengthChart, describeRecord } from './lengths';
import { phaseText } from '../memory/words';
import { formatBytes, formatCapacity, formatRange } from '../units';
import { describeServed } from './served';
import { answer } from './verdict';
import { english } from '../text/say';

const STRANGER = 'not a config format that Headroom knows';
/** Where the known formats are listed. */
export const LIST_FORMATS = 'headroom formats lists the formats that Headroom knows.';
/** What to do about a config of an unknown format. */
export const DESCRIBE_FORMAT = `Describe its keys in .headroom/dialects/NAME.yaml, or run its program without data: headroom profile -- python train.py. ${LIST_FORMATS}`;
const DIALECT_FILE = 'defines a dialect';
const STARTS_NOTHING = 'Starts nothing that Headroom can read';
const NO_RUN = 'No run of its own, so nothing to estimate';
const A_MODEL = 'Describes a model; configs that name its folder are estimated with it';

/** One file of `headroom check`: the verdict of each run and the findings, a line each. */
export function checkText(analysis: Analysis, paint: Paint): TerminalText {
  const kind = analysis.dialect ?? (definesDialect(analysis.file) ? DIALECT_FILE : STRANGER);
  const lines = [terminal`${paint.bold(analysis.file)} ${paint.dim(kind)}`];
  lines.push(...analysis.findings.map(finding => findingLine(finding, analysis.file, paint)));
  const isPart = analysis.runs.length > 0 && !analysis.runs.some(run => run.judged);
  const without = analysis.dialect === 'model-config' ? A_MODEL : NO_RUN;
  if (isPart) lines.push(terminal`  ${paint.dim(without)}`);
  const startsNothing = analysis.dialect !== null && analysis.runs.length === 0;
  if (startsNothing) lines.push(terminal`  ${paint.dim(STARTS_NOTHING)}`);
  const seen = new Set<string>();
  for (const runs of groupRuns(analysis.runs, paint)) {
    const [first] = runs;
    if (first?.judged) lines.push(...answerLines(first, namesOf(runs), paint));
    for (const line of runs.flatMap(run => run.findings.map(one => findingLine(one, analysis.file, paint)))) {
      if (!seen.has(line.raw)) lines.push(line);
      seen.add(line.raw);
    }
  }
  return inLines(lines);
}

/** The verdict, the effect of the data, and what starts the run. */
function answerLines(run: RunAnalysis, names: string, paint: Paint): TerminalText[] {
  const longest = run.data ? dataLine(run.data) : null;
  const more = [longest, startedLine(run)].filter(line => line !== null);
  return [terminal`  ${names}${answerLine(run, paint)}`, ...more.map(line => terminal`  ${paint.dim(line)}`)];
}

/** The effect of the data, if they change the verdict. */
const dataLine = (data: DataLengths): string | null =>
  data.estimate && data.limit !== null && !data.isStale
    ? (describeDataLengths(english, data)[0] ?? null)
    : null;

/** The file that starts a run, if it is another one. */
function startedLine({ run: { startedBy } }: RunAnalysis): string | null {
  if (!startedBy) return null;
  const files = startedBy.files.join(', ');
  return startedBy.agree
    ? `as started by ${files}`
    : `started differently by ${files}: this is the config alone`;
}

/** Groups adjacent runs with the same verdict: sweep cells that do not differ in memory. */
function groupRuns(runs: readonly RunAnalysis[], paint: Paint): RunAnalysis[][] {
  const groups: RunAnalysis[][] = [];
  for (const run of runs) {
    const last = groups.at(-1);
    const isSame =
      last?.[0]?.judged === run.judged && answerLine(last[0], paint).raw === answerLine(run, paint).raw;
    if (last && isSame) last.push(run);
    else groups.push([run]);
  }
  return groups;
}

function namesOf(runs: readonly RunAnalysis[]): string {
  const names = runs.map(({ run }) => run.name).filter(name => name !== '');
  const [first, second] = names;
  if (first === undefined) return '';
  if (names.length <= 2) return `${[first, second].filter(Boolean).join(', ')}: `;
  return `${first} … ${names.at(-1) ?? ''} (${names.length} runs): `;
}

function answerLine(run: RunAnalysis, paint: Paint): TerminalText {
  const device = run.estimate?.devices[0];
  const interval =
    device && !run.estimate.onMachine
      ? paint.dim(
          ` (${formatRange(device.device.low, device.device.high)}, peak in the ${phaseText(english, device.peakPhase)})`,
        )
      : '';
  const regression = run.evidence?.regression ?? null;
  const changed = regression === null ? '' : paint.warn(`; ${regression}`);
  return terminal`${verdictPaint(run, paint)(answer(run))}${interval}${changed}`;
}

function verdictPaint(run: RunAnalysis, paint: Paint): (text: Shown) => TerminalText {
  const byVerdict = { fits: paint.good, tight: paint.warn, exceeds: paint.bad, unknown: paint.dim };
  return byVerdict[run.verdict];
}

const SEVERITY_PAINT: Readonly<Record<Severity, keyof Paint>> = {
  error: 'bad',
  warning: 'warn',
  information: 'bold',
  hint: 'dim',
};

function findingLine(finding: Finding, file: string, paint: Paint): TerminalText {
  const where = finding.file === file ? '' : `${finding.file}:`;
  const place = paint.dim(`${where}${finding.line}:${finding.column}`);
  const severity = paint[SEVERITY_PAINT[finding.severity]](finding.severity);
  return terminal`    ${place} ${severity} ${finding.message} ${paint.dim(finding.rule)}`;
}

const statedBy = ({ from }: RunAnalysis['run']['framework']): string =>
  from === undefined ? '' : ` (${from})`;

/** `headroom explain`: the run with the origin of each quantity, and the whole estimate. */
export function explainText(analysis: RunAnalysis, file: string, paint: Paint): TerminalText {
  const name = analysis.run.name ? ` · ${analysis.run.name}` : '';
  const { framework } = analysis.run;
  const read = analysis.tentative
    ? 'keys guessed by name'
    : `as ${framework.name}${framework.version ? ` ${framework.version}` : ''} reads it${statedBy(framework)}`;
  const parts: Shown[] = [
    terminal`${paint.bold(file)}${name}, ${read}`,
    paint.bold(answer(analysis)),
    quantityTable(analysis, file),
  ];
  const device = analysis.estimate?.devices[0];
  if (device) parts.push(...deviceTexts(device, analysis));
  const rests = describeEvidence(english, analysis.evidence);
  if (rests !== '') parts.push(rests);
  if (analysis.data) parts.push(lengthsText(analysis.data));
  if (analysis.missing.length > 0) parts.push(`Missing: ${analysis.missing.join('; ')}.`);
  if (analysis.estimate) parts.push(...sentences(analysis.estimate));
  const server = serverSpeed(analysis);
  if (server) parts.push(describeServedSpeed(english, server));
  if (isTimed(analysis)) parts.push(...describeSpeed(english, runSpeed(analysis)));
  if (device) parts.push('1 GB = 2^30 bytes.');
  return paragraphs(parts);
}

/** The terms at the peak, and what a server holds. A run without a GPU has none there. */
function deviceTexts(device: DeviceEstimate, { estimate }: RunAnalysis): Shown[] {
  if (estimate?.onMachine) return [];
  const served = describeServed(english, device);
  return [termTable(device), phaseLine(device), ...(served === '' ? [] : [served])];
}

/** The data's lengths and their effect. */
function lengthsText(data: DataLengths): TerminalText {
  const text = [describeRecord(english, data.record), ...describeDataLengths(english, data)].join(' ');
  return data.isStale ? terminal`${text}` : paragraphs([text, lengthChart(data.record, data.limit)]);
}

/** Parts of an estimate in addition to its sum: host RAM, placement, evidence. */
function sentences(estimate: Estimate): string[] {
  const { assumptions, notCounted } = estimate;
  return [
    describeHostMemory(english, estimate),
    describeReleased(english, estimate),
    describePlacement(english, estimate),
    assumptions.length > 0 ? `Assumed: ${assumptions.join('; ')}.` : null,
    notCounted.length > 0 ? `Not counted: ${notCounted.join('; ')}.` : null,
  ].flatMap(sentence => (sentence === null || sentence === '' ? [] : [sentence]));
}

function quantityTable(analysis: RunAnalysis, file: string): TerminalText {
  const rows = shownQuantities(analysis).map(([name, quantity]) => {
    const { origin } = quantity;
    const key = origin.kind === 'file' || origin.kind === 'referenced' ? origin.at.path : '';
    return [
      displayName(english, name),
      describeValue(english, quantity),
      key,
      describeOrigin(english, origin, file),
    ].map(short);
  });
  return table([['quantity', 'value', 'key', 'from'], ...rows]);
}

function termTable(device: DeviceEstimate): TerminalText {
  const rows = device.terms.map(term => [
    term.term,
    formatBytes(term.bytes),
    short(term.note ? `${term.formula} (${term.note})` : term.formula),
  ]);
  const { low, expected, high } = device.device;
  const sum = ['device memory', formatBytes(expected), `${formatRange(low, high)} (low to high)`];
  return table([['at the peak', 'size', 'how'], ...rows, sum], { align: ['l', 'r', 'l'] });
}

function phaseLine(device: DeviceEstimate): string {
  const phases = device.phases.map(({ phase, bytes }) => `${phase} ${formatBytes(bytes)}`);
  return `Torch allocated by phase: ${phases.join(', ')}. Peak in the ${phaseText(english, device.peakPhase)}.`;
}

/** A cell with a truncated value. */
function short(text: string): string {
  const flat = text.replace(/\s+/g, ' ');
  return flat.length > 100 ? `${flat.slice(0, 99)}…` : flat;
}

/** The plans of `headroom optimize`, ranked, each with its arithmetic; then the rejected remedies with reasons. */
export function plansText(chosen: RunAnalysis, search: PlanSearch, goal: Goal, paint: Paint): TerminalText {
  const name = chosen.run.name ? `${chosen.run.name}: ` : '';
  const lines: Shown[] = [terminal`${name}${verdictPaint(chosen, paint)(answer(chosen))}`];
  if (search.reached && !chosen.estimate?.onMachine) lines.push('It already fits.');
  if (!search.reached && search.plans.length === 0) lines.push(noneText(search, goal, isTrained(chosen)));
  const file = chosen.run.sources[0]?.path ?? '';
  const steps = stepTable(search.plans);
  if (steps.length > 0) lines.push('', table(steps, STEP_COLUMNS), '', paint.dim(STEPS_HELP));
  search.plans.forEach((plan, i) => {
    lines.push(
      '',
      terminal`${i + 1}. ${paint.bold(planTitle(plan, file))}`,
      `   ${plan.effect}`,
      `   ${plan.reason}`,
      ...(plan.time ? [`   ${planTimeText(english, plan.time)}`] : []),
    );
    lines.push(...plan.arithmetic.map(line => terminal`   ${paint.dim(proofText(line))}`));
  });
  if (search.rejected.length > 0) lines.push('');
  lines.push(...search.rejected.map(({ remedy, why }) => paint.dim(`not ${remedy}: ${why}`)), '');
  const blocks = search.advice.map(({ text, why }) =>
    text.includes('\n')
      ? terminal`\n${paint.dim(`# ${why}`)}\n${block(text)}`
      : terminal`${text}  ${paint.dim(`# ${why}`)}`,
  );
  if (blocks.length > 0) lines.push(paint.bold('To copy, outside the config:'), ...blocks);
  while (lines.at(-1) === '') lines.pop();
  return inLines(lines);
}

const STEPS_HELP = 'Each step has those before it in it: --plan 2 --apply makes the first two.';

const isTrained = ({ run }: RunAnalysis): boolean =>
  !['infer', 'embed', 'load', null].includes(run.quantities.task.value);

/** Goals that keep either the batch or the model, so that the other could grow. */
const GROWS_OTHERWISE: ReadonlySet<Goal> = new Set<Goal>(['fill', 'fastest', 'largest']);

/** Why there is no plan, how much is missing, and what to do then. */
export function noneText(search: PlanSearch, goal: Goal, trains = false): string {
  const { least, fittingGpus, deviceMap } = search;
  const none = noneHeadline(search, goal);
  if (search.isGuessed) {
    return `${none}. State what is assumed (headroom explain FILE), or measure it (headroom profile FILE).`;
  }
  if (trains && GROWS_OTHERWISE.has(goal)) return `${none}. To grow batch and model, use --goal steps.`;
  if (deviceMap?.placed && goal === 'fit') return `${none}: see below.`;
  if (!least?.usableBytes || least.verdict === 'unknown') return `${none}.`;
  const need = `with all changes below it ${least.verdict === 'exceeds' ? 'still needs' : 'needs'} ${formatBytes(least.device.expected)} of ${formatCapacity(least.capacityBytes ?? least.usableBytes)}`;
  const others = fittingGpusText(fittingGpus ?? []);
  const where = others === null ? '' : ` ${others}`;
  return `${none}: ${need}.${where} To see which GPUs fit it, use headroom compare FILE.`;
}

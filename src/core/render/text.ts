import { markdownTable } from 'markdown-table';
import type { Analysis, RunAnalysis } from '../rules/analysis';
import type { DataLengths } from '../learn/dataLengths';
import { definesDialect } from '../text/headroomFiles';
import type { DeviceEstimate, Estimate } from '../memory/estimate';
import type { Goal, PlanSearch } from '../plan/plan';
import type { Finding } from '../rules/rule';
import type { Severity } from '../spec/conditions';
import { describeOrigin, describeValue } from './origin';
import { goalWords } from '../plan/goals';
import { planTitle } from './fix';
import { evidenceInWords } from './evidence';
import { hostInWords } from './host';
import { placedInWords } from './placed';
import { dataInWords, lengthChart, recordInWords } from './lengths';
import { phaseInWords } from '../memory/words';
import { fittingGpusText } from './fittingGpus';
import { formatBytes, formatCapacity, formatRange } from '../units';
import { answer } from './verdict';

/** How a terminal marks words; the identity when colour is off. */
export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly good: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly bad: (text: string) => string;
}

const same = (text: string): string => text;
export const plainPaint: Paint = { bold: same, dim: same, good: same, warn: same, bad: same };

const STRANGER = 'not a format that Headroom knows';
const DIALECT_FILE = 'defines a dialect';

/** One file of `headroom check`: the answer of each run and the findings, a line each. */
export function checkText(analysis: Analysis, paint: Paint): string {
  const kind = analysis.dialect ?? (definesDialect(analysis.file) ? DIALECT_FILE : STRANGER);
  const lines = [`${paint.bold(analysis.file)} ${paint.dim(kind)}`];
  lines.push(...analysis.findings.map(finding => findingLine(finding, analysis.file, paint)));
  const seen = new Set<string>();
  for (const runs of alike(analysis.runs, paint)) {
    const [first] = runs;
    if (first?.judged) lines.push(`  ${namesOf(runs)}${answerLine(first, paint)}`);
    const longest = first?.judged === true && first.data ? dataLine(first.data) : null;
    if (longest !== null) lines.push(`  ${paint.dim(longest)}`);
    const started = first?.judged === true ? startedLine(first) : null;
    if (started !== null) lines.push(`  ${paint.dim(started)}`);
    const found = runs.flatMap(run => run.findings.map(one => findingLine(one, analysis.file, paint)));
    lines.push(...new Set(found.filter(line => !seen.has(line))));
    found.forEach(line => seen.add(line));
  }
  return lines.join('\n');
}

/** What the data decide, where they have another answer. */
const dataLine = (data: DataLengths): string | null =>
  data.estimate && data.limit !== null && !data.isStale ? (dataInWords(data)[0] ?? null) : null;

/** Who starts a run, where that is another file. */
function startedLine({ run: { startedBy } }: RunAnalysis): string | null {
  if (!startedBy) return null;
  const files = startedBy.files.join(', ');
  return startedBy.agree
    ? `as started by ${files}`
    : `started differently by ${files}: this is the config alone`;
}

/** Runs that follow one another with the same answer: cells of a sweep that differ in nothing that takes memory. */
function alike(runs: readonly RunAnalysis[], paint: Paint): RunAnalysis[][] {
  const groups: RunAnalysis[][] = [];
  for (const run of runs) {
    const last = groups.at(-1);
    const isSame = last?.[0]?.judged === run.judged && answerLine(last[0], paint) === answerLine(run, paint);
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

function answerLine(run: RunAnalysis, paint: Paint): string {
  const device = run.estimate?.devices[0];
  const interval = device
    ? paint.dim(
        ` (${formatRange(device.device.low, device.device.high)}, peak in the ${phaseInWords(device.peakPhase)})`,
      )
    : '';
  const regression = run.evidence?.regression ?? null;
  const changed = regression === null ? '' : paint.warn(`; ${regression}`);
  return `${verdictPaint(run, paint)(answer(run))}${interval}${changed}`;
}

function verdictPaint(run: RunAnalysis, paint: Paint): (text: string) => string {
  const byVerdict = { fits: paint.good, tight: paint.warn, exceeds: paint.bad, unknown: paint.dim };
  return byVerdict[run.verdict];
}

const SEVERITY_PAINT: Readonly<Record<Severity, keyof Paint>> = {
  error: 'bad',
  warning: 'warn',
  information: 'bold',
  hint: 'dim',
};

function findingLine(finding: Finding, file: string, paint: Paint): string {
  const where = finding.file === file ? '' : `${finding.file}:`;
  const place = paint.dim(`${where}${finding.line}:${finding.column}`);
  const severity = paint[SEVERITY_PAINT[finding.severity]](finding.severity);
  return `    ${place} ${severity} ${finding.message} ${paint.dim(finding.rule)}`;
}

/** `headroom explain`: the run as read, with the origin of each quantity, and the whole estimate. */
export function explainText(analysis: RunAnalysis, file: string, paint: Paint): string {
  const name = analysis.run.name ? ` · ${analysis.run.name}` : '';
  const { framework } = analysis.run;
  const read = analysis.tentative
    ? 'keys guessed by name'
    : `as ${framework.name}${framework.version ? ` ${framework.version}` : ''} reads it`;
  const parts = [
    `${paint.bold(file)}${name}, ${read}`,
    paint.bold(answer(analysis)),
    quantityTable(analysis, file),
  ];
  const device = analysis.estimate?.devices[0];
  if (device) parts.push(termTable(device), phaseLine(device));
  const rests = evidenceInWords(analysis.evidence);
  if (rests !== '') parts.push(rests);
  if (analysis.data) parts.push(lengthsText(analysis.data));
  if (analysis.missing.length > 0) parts.push(`Missing: ${analysis.missing.join('; ')}.`);
  if (analysis.estimate) parts.push(...sentences(analysis.estimate));
  if (device) parts.push('1 GB = 2^30 bytes.');
  return parts.join('\n\n');
}

/** How long the data are, and what that decides. */
export function lengthsText(data: DataLengths): string {
  const said = [recordInWords(data.record), ...dataInWords(data)].join(' ');
  return data.isStale ? said : `${said}\n\n${lengthChart(data.record, data.limit)}`;
}

/** What an estimate says beside its sum: other memory, where parts lie, what it rests on. */
function sentences(estimate: Estimate): string[] {
  const { assumptions, notCounted } = estimate;
  return [
    hostInWords(estimate),
    placedInWords(estimate),
    assumptions.length > 0 ? `Assumed: ${assumptions.join('; ')}.` : null,
    notCounted.length > 0 ? `Not counted: ${notCounted.join('; ')}.` : null,
  ].flatMap(said => (said === null || said === '' ? [] : [said]));
}

function quantityTable(analysis: RunAnalysis, file: string): string {
  const all = Object.entries({ ...analysis.run.quantities, ...analysis.run.details });
  const rows = all.map(([name, quantity]) => {
    const { origin } = quantity;
    const key = origin.kind === 'file' || origin.kind === 'referenced' ? origin.at.path : '';
    return [name, describeValue(quantity), key, describeOrigin(origin, file)].map(oneLine);
  });
  return markdownTable([['quantity', 'value', 'key', 'from'], ...rows]);
}

function termTable(device: DeviceEstimate): string {
  const rows = device.terms.map(term => [
    term.term,
    formatBytes(term.bytes),
    oneLine(term.note ? `${term.formula} (${term.note})` : term.formula),
  ]);
  const { low, expected, high } = device.device;
  const sum = ['device memory', formatBytes(expected), `${formatRange(low, high)} (low to high)`];
  return markdownTable([['at the peak', 'size', 'how'], ...rows, sum], { align: ['l', 'r', 'l'] });
}

function phaseLine(device: DeviceEstimate): string {
  const phases = device.phases.map(({ phase, bytes }) => `${phase} ${formatBytes(bytes)}`);
  return `Torch allocated by phase: ${phases.join(', ')}. Peak in the ${phaseInWords(device.peakPhase)}.`;
}

/** A cell: no line breaks, no column separators, no endless values. */
function oneLine(text: string): string {
  const flat = text.replace(/\s+/g, ' ').replaceAll('|', '/');
  return flat.length > 100 ? `${flat.slice(0, 99)}…` : flat;
}

/** The plans of `headroom optimize`, ranked, each with its arithmetic; then what was left out and why. */
export function plansText(chosen: RunAnalysis, search: PlanSearch, goal: Goal, paint: Paint): string {
  const name = chosen.run.name ? `${chosen.run.name}: ` : '';
  const lines = [`${name}${verdictPaint(chosen, paint)(answer(chosen))}`];
  if (search.reached) lines.push('It already fits.');
  else if (search.plans.length === 0) lines.push(noneText(search, goal));
  const file = chosen.run.sources[0]?.path ?? '';
  search.plans.forEach((plan, i) => {
    lines.push(
      '',
      `${i + 1}. ${paint.bold(planTitle(plan, file))}`,
      `   ${plan.effect}`,
      `   ${plan.reason}`,
    );
    lines.push(...plan.arithmetic.map(line => `   ${paint.dim(line)}`));
  });
  if (search.rejected.length > 0) lines.push('');
  lines.push(...search.rejected.map(({ remedy, why }) => paint.dim(`not ${remedy}: ${why}`)), '');
  const blocks = search.advice.map(({ text, why }) =>
    text.includes('\n') ? `\n${paint.dim(`# ${why}`)}\n${text}` : `${text}  ${paint.dim(`# ${why}`)}`,
  );
  if (blocks.length > 0) lines.push(paint.bold('To copy, outside the config:'), ...blocks, '');
  return lines.join('\n').trimEnd();
}

/** Why there is no plan; how much is missing, and what to do then. */
export function noneText({ least, fittingGpus }: PlanSearch, goal: Goal): string {
  const { none } = goalWords(goal);
  if (!least?.usableBytes || least.verdict === 'unknown') return `${none}.`;
  const need = `with all changes below it still needs ${formatBytes(least.device.expected)} of ${formatCapacity(least.capacityBytes ?? least.usableBytes)}`;
  const others = fittingGpusText(fittingGpus ?? []);
  const where = others === null ? '' : ` ${others}`;
  return `${none}: ${need}.${where} To see which GPUs fit it, use headroom compare FILE.`;
}

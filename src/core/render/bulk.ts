import type { RunAnalysis } from '../rules/analysis';
import type { Target } from '../hardware/gpu';
import type { Goal, Plan, PlanSearch } from '../plan/plan';
import { planTitle } from './fix';
import { deviceAsJson, planAsJson } from './json';
import type { Json } from '../text/json';
import { noneHeadline } from './sentences';
import { table, terminal } from '../text/terminal';
import type { Paint, TerminalText } from '../text/terminal';
import { formatBytes } from '../units';
import { whyUnknown } from './verdict';

/** The result for one of many configs. */
export interface BulkRow {
  readonly file: string;
  /** The run that needs the most memory. */
  readonly chosen: RunAnalysis;
  /** Number of runs of the config. */
  readonly runs: number;
  /** Null if the need is unknown. */
  readonly search: PlanSearch | null;
  /** Written files; null: none. */
  readonly applied: readonly { readonly path: string; readonly backup: string }[] | null;
}

const planOf = ({ search }: BulkRow): Plan | null => search?.plans[0] ?? null;

const VERDICTS: Readonly<Record<RunAnalysis['verdict'], string>> = {
  fits: 'fits',
  tight: 'tight',
  exceeds: 'does not fit',
  unknown: 'unknown',
};

/** A table over many configs: the need now, the plan in a sentence, and the need after it. */
export function bulkText(
  rows: readonly BulkRow[],
  target: Target,
  goal: Goal,
  applied: boolean,
  paint: Paint,
): TerminalText {
  if (rows.length === 0) return terminal`No training or serving config found.`;
  const body = rows.map(row => [nameOf(row), nowText(row), planText(row, goal), outcomeText(row)]);
  const head = ['config', `now, ${target.name}`, 'plan', 'then'];
  return terminal`${table([head, ...body])}\n\n${paint.bold(countsText(rows, applied))}`;
}

function nameOf({ file, runs }: BulkRow): string {
  return runs > 1 ? `${file} (${runs} runs)` : file;
}

function nowText({ chosen }: BulkRow): string {
  const device = chosen.estimate?.devices[0];
  return device ? `${formatBytes(device.device.expected)}, ${VERDICTS[chosen.verdict]}` : 'unknown';
}

function planText(row: BulkRow, goal: Goal): string {
  const plan = planOf(row);
  if (plan) return `${planTitle(plan, row.file)}: ${plan.effect}`;
  if (row.search === null) return whyUnknown(row.chosen);
  return row.search.reached ? 'already fits' : noneHeadline(row.search, goal);
}

function outcomeText(row: BulkRow): string {
  const plan = planOf(row);
  return plan ? `${formatBytes(plan.after.device.expected)}, ${VERDICTS[plan.after.verdict]}` : '';
}

function countsText(rows: readonly BulkRow[], applied: boolean): string {
  const count = (holds: (row: BulkRow) => boolean): number => rows.filter(holds).length;
  const written = count(row => row.applied !== null);
  const parts = [
    [count(({ search }) => search?.reached === true), 'without changes'],
    [count(row => planOf(row) !== null), applied ? `with a plan, ${written} applied` : 'with a plan'],
    [count(row => row.search !== null && !row.search.reached && planOf(row) === null), 'without one'],
    [count(({ search }) => search === null), 'unknown'],
  ] as const;
  const nonzero = parts.filter(([n]) => n > 0).map(([n, words]) => `${n} ${words}`);
  return `${rows.length} ${rows.length === 1 ? 'config' : 'configs'}: ${nonzero.join(', ')}`;
}

/** The table as JSON. */
export function bulkAsJson(rows: readonly BulkRow[], target: Target, goal: Goal): Json {
  return { schema: 'headroom/1', gpu: target.name, goal, files: rows.map(rowAsJson) };
}

function rowAsJson(row: BulkRow): Json {
  const { file, chosen, runs, search, applied } = row;
  const plan = planOf(row);
  const device = chosen.estimate?.devices[0];
  return {
    file,
    run: chosen.run.name,
    runs,
    verdict: chosen.verdict,
    before: device ? deviceAsJson(device) : null,
    reached: search?.reached === true,
    plan: plan && planAsJson(plan),
    ...(search && !plan && { rejected: search.rejected.map(({ remedy, why }) => ({ remedy, why })) }),
    ...(search === null && { missing: [...chosen.missing] }),
    ...(applied && { applied: applied.map(({ path, backup }) => ({ path, backup })) }),
  };
}

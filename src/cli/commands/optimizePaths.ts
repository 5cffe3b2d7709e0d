import { json, terminal, TerminalText } from '../../core/text/terminal';
import type { Shown } from '../../core/text/terminal';
import { stat } from 'node:fs/promises';
import type { RunAnalysis } from '../../core/rules/analysis';
import type { Target } from '../../core/hardware/gpu';
import { bulkAsJson, bulkText } from '../../core/render/bulk';
import type { BulkRow } from '../../core/render/bulk';
import { configOf } from '../../core/render/summary';
import { EXIT } from '../exit';
import { replaceAll } from '../files';
import { findInputs } from '../inputs';
import type { InputFile } from '../inputs';
import { neediestIn } from '../neediest';
import { BadInput, failureText, terminalOutput } from '../output';
import { Session } from '../session';
import { recordUndo } from '../undo';
import { optimize, plansFor, replacementsOf } from './optimize';
import type { OptimizeOptions } from './optimize';

/**
 * `headroom optimize PATH…`: one config with all its plans, or a table of many configs with the first plan of each.
 */
export async function optimizePaths(paths: readonly string[], options: OptimizeOptions): Promise<void> {
  const [one] = paths;
  const isOne = paths.length <= 1 && (one === undefined || !(await leadsToMany(one)));
  return isOne ? optimize(one, options) : optimizeMany(paths, options);
}

/** A folder or a pattern. A name that does not exist counts as one file. */
async function leadsToMany(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found === null ? /[*?{[]/.test(path) : found.isDirectory();
}

async function optimizeMany(paths: readonly string[], options: OptimizeOptions): Promise<void> {
  if (options.run !== undefined) throw new BadInput('--run names a run of one file. Give one file.');
  if (options.undo) {
    throw new BadInput('--undo takes one file. Undo the plans of several files one by one.');
  }
  if (options.plan !== 1) {
    throw new BadInput('--plan takes one file. With several files, each gets its first plan.');
  }
  if (options.profile) {
    throw new BadInput('--profile takes one file. Use headroom profile FILE, which stores its result.');
  }
  const output = terminalOutput(options);
  const session = new Session({ download: options.download === true });
  const target = await session.neededTarget(options);
  const { files, problems } = await findInputs(paths);
  const bad: Shown[] = [...problems];
  const rows: BulkRow[] = [];
  for (const file of files) {
    const row = await rowOf(session, file, files, target, options).catch(
      (error: unknown) => terminal`${file.path}: ${failureText(error)}`,
    );
    if (typeof row === 'string' || TerminalText.is(row)) bad.push(row);
    else if (row !== null) rows.push(row);
  }
  for (const sentence of bad) output.err(sentence);
  const goal = options.goal ?? 'fit';
  if (options.json) output.out(json(bulkAsJson(rows, target, goal), 2));
  else output.out(bulkText(rows, target, goal, options.apply === true, output.paint));
  process.exitCode = bad.length > 0 ? EXIT.bad : exitOf(rows);
}

/** The row of one file; null: nothing to plan; a string: what is wrong with it. */
async function rowOf(
  session: Session,
  { path, named }: InputFile,
  all: readonly InputFile[],
  target: Target,
  options: OptimizeOptions,
): Promise<BulkRow | string | null> {
  const read = await session.read(path);
  if ('why' in read) return named ? read.why : null;
  const found = await neediestIn(session, path, read.text, target, named);
  if (found === null) return null;
  if (typeof found === 'string') return found;
  const { chosen } = found;
  if (isElsewhere(chosen, path, all)) return null;
  const goal = options.goal ?? 'fit';
  const row = { file: path, chosen, runs: found.runs.filter(run => run.judged).length };
  if (chosen.estimate === null || chosen.tentative) return { ...row, search: null, applied: null };
  const search = await plansFor(found, target, goal, options);
  if (!options.apply || !search.plans[0]) return { ...row, search, applied: null };
  try {
    const replaced = await replaceAll(replacementsOf(chosen, search.plans[0]), true);
    await recordUndo(replaced);
    return {
      ...row,
      search,
      applied: replaced.map(({ path: changed, backup }) => ({ path: changed, backup })),
    };
  } catch (error) {
    if (error instanceof BadInput) return error.message;
    throw error;
  }
}

/** A script or a stage whose run's config is also in the list: that one has the plan. */
function isElsewhere({ run }: RunAnalysis, file: string, all: readonly InputFile[]): boolean {
  const config = configOf(run);
  return config !== undefined && config !== file && all.some(({ path }) => path === config);
}

/** The first of these decides: a run that does not fit and has no plan, then an unknown one. */
function exitOf(rows: readonly BulkRow[]): number {
  const left = (row: BulkRow): boolean => row.chosen.verdict === 'exceeds' && !row.search?.plans[0];
  if (rows.some(left)) return EXIT.exceeds;
  return rows.some(({ search }) => search === null) ? EXIT.undecided : EXIT.fits;
}

import { FILE_HEADERS_ONLY, createTwoFilesPatch } from 'diff';
import type { RunAnalysis } from '../../core/rules/analysis';
import type { Target } from '../../core/hardware/gpu';
import { samplesPerGpu } from '../../core/plan/batch';
import { planContext } from '../../core/plan/context';
import type { Goal, Plan, PlanSearch } from '../../core/plan/plan';
import type { BatchRule, SampleRange } from '../../core/plan/remedy';
import { searchPlans } from '../../core/plan/search';
import { withFittingGpus } from '../../core/plan/fittingGpus';
import { plansAsJson } from '../../core/render/json';
import { plansText } from '../../core/render/text';
import { whyUnknown } from '../../core/render/verdict';
import { applyEdits } from '../../core/text/textEdit';
import { block, json } from '../../core/text/terminal';
import type { TerminalText } from '../../core/text/terminal';
import { EXIT } from '../exit';
import { replaceAll } from '../files';
import type { Replacement } from '../files';
import { BadInput, terminalOutput } from '../output';
import type { Output, OutputOptions } from '../output';
import { Session } from '../session';
import type { DownloadOptions, TargetOptions } from '../session';
import { neediestRun } from '../neediest';
import type { Chosen } from '../neediest';
import { profileBefore } from '../profile/dry';
import { recordUndo, undoLast } from '../undo';
import { NEVER } from '../../core/signal';

export interface OptimizeOptions extends TargetOptions, DownloadOptions, OutputOptions {
  readonly configPath?: string;
  readonly auto?: boolean;
  readonly gpuMemory?: number;
  readonly targetEffectiveBatch?: SampleRange;
  readonly margin: number;
  readonly goal?: Goal;
  readonly keepQuality?: boolean;
  readonly keep?: readonly string[];
  readonly batch?: BatchRule;
  readonly plan: number;
  readonly run?: string;
  readonly profile?: boolean;
  readonly python?: string;
  readonly apply?: boolean;
  readonly undo?: boolean;
  readonly json?: boolean;
}

const NO_PAUSE = async (): Promise<void> => {
  /* Nothing else wants the thread of a command line. */
};

/**
 * `headroom optimize FILE`: ranked plans; shows the chosen one as a diff, applies it with backups, or undoes it.
 */
export async function optimize(argument: string | undefined, options: OptimizeOptions): Promise<void> {
  const file = argument ?? options.configPath;
  if (file === undefined) {
    throw new BadInput('Missing config. Use headroom optimize FILE or --config-path FILE.');
  }
  const output = terminalOutput(options);
  if (options.undo) {
    for (const path of await undoLast(file)) output.out(`restored ${path}`);
    return;
  }
  await profileBefore(file, options, output);
  const session = new Session({ download: options.download === true });
  const target = await session.neededTarget(options);
  const neediest = await neediestRun(session, { file, text: await session.text(file) }, target, options.run);
  const { chosen, bad } = neediest;
  if (options.apply && bad[0] !== undefined) throw new BadInput(`${bad[0]} Nothing was changed.`);
  for (const sentence of bad) output.err(sentence);
  if (chosen.estimate === null || chosen.tentative) {
    if (bad.length === 0) output.err(`${file}: ${whyUnknown(chosen)}`);
    process.exitCode = bad.length > 0 ? EXIT.bad : EXIT.undecided;
    return;
  }
  const goal = options.goal ?? (chosen.verdict === 'fits' ? 'fill' : 'fit');
  const search = await plansFor(neediest, target, goal, options);
  await report(file, chosen, search, goal, options, output);
  // The readable part has its plan; a broken file is not written.
  if (bad.length > 0) process.exitCode = EXIT.bad;
}

/** Plans for the run of a file that needs most memory, if they also suit its other runs. */
export async function plansFor(
  { chosen, runs, alternatives, world }: Chosen,
  target: Target,
  goal: Goal,
  options: OptimizeOptions,
): Promise<PlanSearch> {
  const wanted = options.targetEffectiveBatch;
  const samples = wanted === undefined ? null : samplesPerGpu(wanted, chosen.run, target);
  if (typeof samples === 'string') throw new BadInput(`--target-effective-batch: ${samples}`);
  const context = planContext(chosen, runs, {
    target,
    samplesPerGpu: samples,
    alternatives,
    memory: world.memory,
  });
  const { margin, keep, batch } = options;
  const planOptions = {
    goal,
    margin,
    mayTrade: options.keepQuality !== true,
    ...(keep && { keep }),
    ...(batch !== undefined && { batchRule: batch }),
  };
  const search = await searchPlans(context, planOptions, NO_PAUSE, NEVER);
  return withFittingGpus(search, context, planOptions, world, NO_PAUSE, NEVER);
}

async function report(
  file: string,
  chosen: RunAnalysis,
  search: PlanSearch,
  goal: Goal,
  options: OptimizeOptions,
  output: Output,
): Promise<void> {
  if (options.json) output.out(json(plansAsJson(file, chosen, search), 2));
  else output.out(plansText(chosen, search, goal, output.paint));
  if (search.plans.length === 0) {
    process.exitCode = chosen.verdict === 'fits' ? EXIT.fits : EXIT.exceeds;
    return;
  }
  const plan = search.plans[options.plan - 1];
  if (!plan) throw new BadInput(`--plan ${options.plan}: choose a number from 1 to ${search.plans.length}.`);
  const replacements = replacementsOf(chosen, plan);
  if (!options.apply) {
    if (!options.json) for (const replacement of replacements) output.out(diff(replacement));
    return;
  }
  const replaced = await replaceAll(replacements, true);
  await recordUndo(replaced);
  for (const { path, backup } of replaced) output.err(`changed ${path}, backup ${backup}`);
}

/** Each file of the plan with its current and new content. */
export function replacementsOf(chosen: RunAnalysis, plan: Plan): Replacement[] {
  const paths = [...new Set(plan.edits.map(edit => edit.file))];
  return paths.map(path => {
    const before = chosen.run.sources.find(source => source.path === path)?.yaml.text ?? '';
    const edits = plan.edits.filter(edit => edit.file === path).map(edit => edit.edit);
    return { path, before, after: applyEdits(before, edits) };
  });
}

function diff({ path, before, after }: Replacement): TerminalText {
  const options = { context: 2, headerOptions: FILE_HEADERS_ONLY };
  return block(createTwoFilesPatch(path, path, before, after, '', '', options).trimEnd());
}

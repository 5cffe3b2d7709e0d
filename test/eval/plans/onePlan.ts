import { analyze } from '../../../src/core/analyse/analyse';
import type { AnalysisOptions, RunAnalysis } from '../../../src/core/rules/analysis';
import { alternativesTo } from '../../../src/core/plan/modelSizes';
import { perDevice, samplesPerGpu } from '../../../src/core/plan/batch';
import { DEFAULT_MARGIN } from '../../../src/core/plan/plan';
import type { Goal, Plan, PlanSearch } from '../../../src/core/plan/plan';
import type { SampleRange } from '../../../src/core/plan/remedy';
import { searchPlans } from '../../../src/core/plan/search';
import { withFittingGpus } from '../../../src/core/plan/fittingGpus';
import type { Files } from '../../../src/core/text/files';
import type { World } from '../../../src/core/analyse/world';
import type { RunSpec } from '../../../src/core/spec/runSpec';
import { applyEdits } from '../../../src/core/text/textEdit';
import { bytesOutside, restored } from './bytes';
import { english } from '../../../src/core/text/say';

/** The result of the first plan for one run, and the duration of the search. */
export interface PlanOutcome {
  readonly planned: boolean;
  readonly promiseKept: boolean;
  readonly effectiveBatchKept: boolean;
  readonly bytesIntact: boolean;
  readonly undone: boolean;
  readonly tookMs: number;
  /** Details for a reader. */
  readonly found: Found;
}

interface Found {
  readonly verdict: string;
  readonly goal: string;
  readonly plans: readonly { readonly title: string; readonly effect: string; readonly reason: string }[];
  readonly rejected: PlanSearch['rejected'];
  /** Device bytes: unchanged, and with all remedies if none is enough. */
  readonly needBytes: number | null;
  readonly leastBytes: number | null;
  readonly takers: PlanSearch['fittingGpus'];
}

const NEVER = { aborted: false };
const pause = (): Promise<void> => Promise.resolve();

/** Requests that replace what a run's verdict suggests. */
export interface Asked {
  readonly goal?: Goal | undefined;
  /** Samples per optimizer step. */
  readonly batch?: SampleRange | undefined;
}

/**
 * Searches plans for a run, applies the first in memory and reads everything again, to check whether it keeps its
 * promises.
 */
export async function tryPlan(
  run: RunAnalysis,
  file: string,
  world: World,
  options: AnalysisOptions,
  asked: Asked = {},
): Promise<PlanOutcome> {
  const { target } = options;
  const wanted = asked.batch ? samplesPerGpu(asked.batch, run.run, target) : null;
  const range = typeof wanted === 'string' ? null : wanted;
  const context = {
    run: run.run,
    model: run.model,
    target,
    estimate: run.estimate,
    samplesPerGpu: range,
    say: english,
    alternatives: await alternativesTo(run.run, world.models),
  };
  const goal = asked.goal ?? (run.verdict === 'fits' ? 'fill' : 'fit');
  const begin = performance.now();
  const wishes = { goal, margin: DEFAULT_MARGIN, mayTrade: true };
  const searched = await searchPlans(context, wishes, pause, NEVER);
  const search = await withFittingGpus(searched, context, wishes, world, pause, NEVER);
  const tookMs = performance.now() - begin;
  const [plan] = search.plans;
  const found = foundBy(run, goal, search);
  if (!plan) {
    return {
      planned: false,
      promiseKept: true,
      effectiveBatchKept: true,
      bytesIntact: true,
      undone: true,
      tookMs,
      found,
    };
  }
  const texts = textsOf(run, plan);
  const after = await again(
    run,
    file,
    world,
    options,
    new Map(texts.map(({ path, after }) => [path, after])),
  );
  return {
    planned: true,
    promiseKept: after?.estimate?.devices[0]?.device.expected === plan.after.device.expected,
    effectiveBatchKept: after !== null && (batchOf(after.run) === batchOf(run.run) || saysBatch(plan)),
    bytesIntact: texts.every(({ path, before, after: text }) => bytesOutside(plan, path, before, text)),
    undone: texts.every(({ path, before, after: text }) => restored(plan, path, before, text)),
    tookMs,
    found,
  };
}

const batchOf = (run: RunSpec): string =>
  `${perDevice(run) ?? ''} ${run.quantities.effectiveBatch.value ?? ''}`;

/** The change of the effective batch size, with the numbers. */
const saysBatch = ({ effect }: Plan): boolean =>
  /effective batch [\d.]+ → [\d.]+|GPU and step → [\d.]+/.test(effect);

function foundBy(run: RunAnalysis, goal: string, search: PlanSearch): Found {
  const { plans, rejected, least, fittingGpus: takers } = search;
  const said = plans.map(({ title, effect, reason }) => ({ title, effect, reason }));
  const needBytes = run.estimate?.devices[0]?.device.expected ?? null;
  const leastBytes = least?.device.expected ?? null;
  return { verdict: run.verdict, goal, plans: said, rejected, needBytes, leastBytes, takers };
}

function textsOf(run: RunAnalysis, plan: Plan) {
  return [...new Set(plan.edits.map(edit => edit.file))].map(path => {
    const before = run.run.sources.find(source => source.path === path)?.yaml.text ?? '';
    const edits = plan.edits.filter(edit => edit.file === path).map(({ edit }) => edit);
    return { path, before, after: applyEdits(before, edits) };
  });
}

/** The same run, read from the edited texts. */
async function again(
  run: RunAnalysis,
  file: string,
  world: World,
  options: AnalysisOptions,
  edited: ReadonlyMap<string, string>,
): Promise<RunAnalysis | null> {
  const files: Files = {
    read: path => {
      const text = edited.get(path);
      return text === undefined ? world.files.read(path) : Promise.resolve({ text });
    },
    list: folder => world.files.list(folder),
  };
  const text = edited.get(file) ?? run.run.sources[0]?.yaml.text ?? '';
  const analysis = await analyze(file, text, { ...world, files }, options, NEVER);
  return analysis.runs.find(one => one.run.name === run.run.name) ?? null;
}

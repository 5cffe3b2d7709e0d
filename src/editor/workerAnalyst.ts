import type { RuleFault } from '../core/rules/rule';
import type { ComparedPlace } from '../core/plan/places/fit';
import type { RunOutcome } from '../core/plan/outcome';
import type { PlanSearch } from '../core/plan/plan';
import type { World } from '../core/analyse/world';
import { runInWorker } from '../host/worker';
import type { WorkerLimits } from '../host/worker';
import type {
  AnalysisRequest,
  Analyst,
  CompareRequest,
  FileAnalysis,
  PlanRequest,
  TrialRequest,
} from './analyst';

/** What the worker is started with. */
export type WorkerTask =
  | { readonly kind: 'analyse'; readonly request: AnalysisRequest }
  | { readonly kind: 'plan'; readonly request: PlanRequest }
  | { readonly kind: 'compare'; readonly request: CompareRequest }
  | { readonly kind: 'try'; readonly request: TrialRequest };

const LIMITS: WorkerLimits = { timeMs: 20_000, heapMiB: 1024 };
/** A search of plans, or a whole catalog with its fixes and batches: two seconds, on a busy machine many more. */
const LONG: WorkerLimits = { ...LIMITS, timeMs: 120_000 };

/** Works on a thread of its own, which asks this one for what it needs of the world. */
export function workerAnalyst(script: string, world: World): Analyst {
  const answers = {
    read: (path: string) => world.files.read(path),
    list: (folder: string) => world.files.list(folder),
    findModel: (model: string, from: string) => world.models.find(model, from),
    gpuNamed: (name: string) => world.gpuNamed?.(name) ?? Promise.resolve(null),
    launchersOf: async (config: string) => (await world.launchers?.of(config)) ?? null,
    lengthsNear: async (file: string) => (await world.lengths?.near(file)) ?? null,
    measurementsNear: async (file: string) => (await world.measurements?.near(file)) ?? null,
    ruleFault: (fault: RuleFault) => Promise.resolve(world.onRuleFault?.(fault)),
    definitionsNear: async (file: string) => (await world.definitions?.near(file)) ?? [],
  };
  const work = (task: WorkerTask, signal: AbortSignal, limits = LIMITS): Promise<unknown> =>
    runInWorker(script, task, answers, limits, signal);
  return {
    analyse: (request, signal) => work({ kind: 'analyse', request }, signal) as Promise<FileAnalysis>,
    plan: (request, signal) => work({ kind: 'plan', request }, signal, LONG) as Promise<PlanSearch>,
    compare: (request, signal) =>
      work({ kind: 'compare', request }, signal, LONG) as Promise<readonly ComparedPlace[]>,
    tryOut: (request, signal) =>
      work({ kind: 'try', request }, signal) as Promise<readonly (RunOutcome | null)[]>,
  };
}

/** Texts up to this size are analysed in a few milliseconds; larger ones would be felt while typing. */
const SMALL_CHARACTERS = 24 * 1024;

/** Sends what is small to one and what is large to the other. The answers are the same. */
export function bySize(small: Analyst, large: Analyst): Analyst {
  const fit = ({ text }: AnalysisRequest): Analyst => (text.length <= SMALL_CHARACTERS ? small : large);
  return {
    analyse: (request, signal) => fit(request).analyse(request, signal),
    // A search takes some tenths of a second, and is given up by ending the thread.
    plan: (request, signal) => large.plan(request, signal),
    // A whole catalog takes a second or two, however small the text is.
    compare: (request, signal) => large.compare(request, signal),
    tryOut: (request, signal) => fit(request).tryOut(request, signal),
  };
}

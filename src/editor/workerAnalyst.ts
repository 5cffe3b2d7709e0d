import type { RuleFault } from '../core/rules/rule';
import type { World } from '../core/analyse/world';
import { runInWorker } from '../host/worker';
import type { WorkerLimits } from '../host/worker';
import { analystBy } from './analyst';
import type { Analyst, Kind, Requests, Results } from './analyst';

/** What the worker is started with. */
export type WorkerTask<K extends Kind = Kind> = {
  [Each in K]: {
    readonly kind: Each;
    readonly request: Requests[Each];
    /** Memory of this machine, in MiB. */
    readonly hostMiB: number | undefined;
  };
}[K];

const LIMITS: WorkerLimits = { timeMs: 20_000, heapMiB: 1024 };
/** A search of plans, or a whole catalog with its fixes and batches: two seconds, on a busy machine many more. */
const LONG: WorkerLimits = { ...LIMITS, timeMs: 120_000 };
const LONG_WORK: readonly Kind[] = ['plan', 'compare'];

/** Works on its own thread, which asks this one for what it needs of the world. */
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
  return analystBy(async <K extends Kind>(kind: K, request: Requests[K], signal: AbortSignal) => {
    const limits = LONG_WORK.includes(kind) ? LONG : LIMITS;
    return (await runInWorker(
      script,
      { kind, request, hostMiB: world.hostMiB },
      answers,
      limits,
      signal,
    )) as Results[K];
  });
}

/** Texts up to this size are analysed in a few milliseconds; larger ones would be felt while typing. */
const SMALL_CHARACTERS = 24 * 1024;

/** Sends what is small to one and what is large to the other. The answers are the same. */
export function bySize(small: Analyst, large: Analyst): Analyst {
  // Plans and comparisons take up to seconds however small the text is, and are given up by ending the thread.
  return analystBy((kind, request, signal) => {
    const isLarge = LONG_WORK.includes(kind) || request.text.length > SMALL_CHARACTERS;
    return (isLarge ? large : small)[kind](request, signal);
  });
}

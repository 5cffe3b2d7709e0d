import { stackOf } from '../core/text/errors';
import type { DialectDefinition } from '../core/dialects/defined/definition';
import type { Target } from '../core/hardware/gpu';
import type { LauncherLookup } from '../core/dialects/ports';
import type { LengthLookup, MeasurementLookup } from '../core/learn/measurement';
import type { World } from '../core/analyse/world';
import { workOn } from '../host/inWorker';
import type { Ask } from '../host/inWorker';
import type { Kind } from './analyst';
import type { WorkerTask } from './workerAnalyst';
import { NEVER } from '../core/signal';

const NOBODY: LauncherLookup = { files: [], dependencies: [] };

const UNMEASURED: MeasurementLookup = { measurements: [], dependencies: [], by: '' };

const UNCOUNTED: LengthLookup = { counted: [], dependencies: [] };

const noPause = (): Promise<void> => Promise.resolve();

function worldBehind(ask: Ask, hostMiB: number | undefined): World {
  return {
    files: {
      read: async path => (await ask('read', path)) as Awaited<ReturnType<World['files']['read']>>,
      list: async folder => (await ask('list', folder)) as readonly string[],
    },
    models: {
      find: async (model, from) =>
        (await ask('findModel', model, from)) as Awaited<ReturnType<World['models']['find']>>,
    },
    ...(hostMiB !== undefined && { hostMiB }),
    gpuNamed: async name => (await ask('gpuNamed', name)) as Target | null,
    launchers: {
      of: async config => ((await ask('launchersOf', config)) as LauncherLookup | null) ?? NOBODY,
    },
    measurements: {
      near: async file => ((await ask('measurementsNear', file)) as MeasurementLookup | null) ?? UNMEASURED,
    },
    lengths: {
      near: async file => ((await ask('lengthsNear', file)) as LengthLookup | null) ?? UNCOUNTED,
    },
    onRuleFault: ({ rule, file, error }) => void ask('ruleFault', { rule, file, error: stackOf(error) }),
    definitions: {
      near: async file => (await ask('definitionsNear', file)) as readonly DialectDefinition[],
    },
  };
}

workOn(async (task, ask) => {
  // The same chunk as the editor's: it ships once.
  const { work } = (await import('./analysisChunk')).core;
  const done = <K extends Kind>({ kind, request, hostMiB }: WorkerTask<K>) =>
    // A run that is given up ends with its thread.
    work[kind](request, worldBehind(ask, hostMiB), noPause, NEVER);
  return done(task as WorkerTask);
});

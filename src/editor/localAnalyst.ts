import type { World } from '../core/analyse/world';
import type { Analyst } from './analyst';
import type { LoadCore } from './core';

/** Gives other work of this thread its turn. */
const pause = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Works on this thread: for configs whose analysis takes milliseconds. */
export function localAnalyst(core: LoadCore, world: World): Analyst {
  return {
    async analyse(request, signal) {
      const { analyseFile } = await core();
      signal.throwIfAborted();
      return analyseFile(request, world, signal);
    },
    async plan(request, signal) {
      const { planRun } = await core();
      signal.throwIfAborted();
      return planRun(request, world, pause, signal);
    },
    async compare(request, signal) {
      const { compareRun } = await core();
      signal.throwIfAborted();
      return compareRun(request, world, pause, signal);
    },
    async tryOut(request, signal) {
      const { tryTexts } = await core();
      signal.throwIfAborted();
      return tryTexts(request, world, pause, signal);
    },
  };
}

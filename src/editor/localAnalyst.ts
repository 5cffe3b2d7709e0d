import type { World } from '../core/analyse/world';
import { analystBy } from './analyst';
import type { Analyst } from './analyst';
import type { LoadCore } from './core';

/** Gives other work of this thread its turn. */
const pause = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Works on this thread: for configs whose analysis takes milliseconds. */
export function localAnalyst(core: LoadCore, world: World): Analyst {
  return analystBy(async (kind, request, signal) => {
    const { work } = await core();
    signal.throwIfAborted();
    return work[kind](request, world, pause, signal);
  });
}

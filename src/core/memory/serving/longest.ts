import { roomIn } from '../cacheRoom';
import type { Serving } from '../engine';
import type { MemoryRun } from '../run';

/** The longest sequence that a cache of this many bytes holds, in whole blocks; 0: not one block. */
export function longestIn(run: MemoryRun, serving: Serving, bytes: number): number {
  const { block } = serving.engine;
  const holds = (blocks: number): boolean =>
    roomIn(run, { ...serving, context: blocks * block }, bytes).sequences >= 1;
  if (!holds(1)) return 0;
  let least = 1;
  let most = 2;
  while (holds(most) && most * block < MOST_TOKENS) {
    least = most;
    most *= 2;
  }
  while (most - least > 1) {
    const middle = Math.floor((least + most) / 2);
    if (holds(middle)) least = middle;
    else most = middle;
  }
  return least * block;
}

/** No model is made for more. */
const MOST_TOKENS = 2 ** 28;

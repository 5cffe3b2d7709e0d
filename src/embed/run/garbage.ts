import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Garbage that may lie: a run of hours shall take what it takes in its first minute. */
const MOST_BYTES = 16e6;

/** V8 lets garbage grow while the machine has memory; what a model of 90 MB needs beside it would double. */
export class Garbage {
  private readonly collect = collector();
  private left = 0;

  /** A few milliseconds, and none where there is little. */
  look(): void {
    if (used() < this.left + MOST_BYTES) return;
    this.collect();
    this.left = used();
  }
}

const used = (): number => getHeapStatistics().used_heap_size;

function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (() => void) | undefined;
  return () => collect?.();
}

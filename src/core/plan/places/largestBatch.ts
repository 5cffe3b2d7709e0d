import { estimated } from '../../learn/publishedRows';
import { microBatch } from '../remedies/microBatch';
import type { RemedyContext } from '../remedy';
import type { Pause } from '../walk';
import { changed } from '../../dialects/change';
import type { RunSpec } from '../../spec/runSpec';
import type { BatchSplit } from './fit';
import type { Signal } from '../../signal';

/**
 * The largest micro batch that fits with the same effective batch size, for each of several devices that differ
 * only in room, most room first: what does not fit one does not fit a smaller one. Null for a device that no batch
 * fits, and for runs without a batch. Returns null once `signal` is aborted.
 */
export async function largestBatches(
  contexts: readonly RemedyContext[],
  pause: Pause,
  signal: Signal,
): Promise<readonly (BatchSplit | null)[] | null> {
  const [first] = contexts;
  if (!first) return [];
  const sizes = batchSizes(first);
  const found: (BatchSplit | null)[] = [];
  let next = 0;
  for (const context of contexts) {
    for (; next < sizes.length; next++) {
      await pause();
      if (signal.aborted) return null;
      const run = sizes[next]?.();
      if (run && fits(run, context)) break;
    }
    const run = sizes[next]?.();
    found.push(run ? splitOf(run) : null);
  }
  return found;
}

/** The run with each micro batch that keeps the effective batch size, largest first. */
function batchSizes(context: RemedyContext): readonly (() => RunSpec)[] {
  const { run } = context;
  if (splitOf(run) === null) return [];
  // `more` returns the nearest first.
  const larger = (microBatch.more?.(context) ?? []).toReversed();
  const smaller = microBatch.less(context);
  const as = (options: typeof smaller) => options.map(({ changes }) => once(() => changed(run, changes)));
  return [...as(larger), () => run, ...as(smaller)];
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

function fits(run: RunSpec, { model, target, lessons, memory }: RemedyContext): boolean {
  const { result } = estimated({ run, model, target, lessons }, { session: memory });
  return result.ok && result.estimate.devices[0]?.verdict === 'fits';
}

function splitOf({ quantities }: RunSpec): BatchSplit | null {
  const { microBatchSize, gradAccum } = quantities;
  return microBatchSize.value === null || gradAccum.value === null
    ? null
    : { microBatchSize: microBatchSize.value, gradAccum: gradAccum.value };
}

import type { Target } from '../hardware/gpu';
import type { RunSpec } from '../spec/runSpec';
import type { BatchRule, SampleRange } from './remedy';
import { english } from '../text/say';
import type { Say } from '../text/say';

/** Samples that one device contributes to an optimizer step; null if the batch is unknown. */
export function perDevice(run: RunSpec): number | null {
  const { microBatchSize, gradAccum } = run.quantities;
  return microBatchSize.value === null || gradAccum.value === null
    ? null
    : microBatchSize.value * gradAccum.value;
}

/** Copies of the model that see different samples: all GPUs, divided by the GPUs that share one copy. */
export function replicas(run: RunSpec, target: Target | null): number {
  const gpus = run.quantities.gpus.value ?? target?.count ?? 1;
  const { tensor = 1, context = 1, pipeline = 1 } = run.quantities.parallel.value ?? {};
  return gpus / (tensor * context * pipeline);
}

/**
 * Samples per GPU and step for an effective batch size within a range (equal ends: exactly that one), or a sentence
 * about why there are none, with the nearest.
 */
export function samplesPerGpu(
  wanted: SampleRange,
  run: RunSpec,
  target: Target | null,
  say: Say = english,
): SampleRange | string {
  const copies = replicas(run, target);
  const least = Math.max(1, Math.ceil(wanted.least / copies));
  const most = Math.floor(wanted.most / copies);
  if (most >= least) return { least, most };
  const wantedText =
    wanted.least === wanted.most ? wanted.most : say('{0} to {1}', wanted.least, wanted.most);
  const below = Math.max(1, most) * copies;
  return say(
    "An effective batch size of {0} isn't divisible by {1} model copies. Use {2} or {3}.",
    wantedText,
    copies,
    below,
    below + copies,
  );
}

/** `256`, `225-256`: samples per optimizer step; null for other text. */
export function sampleRange(text: string): SampleRange | null {
  const [, from = '', to = from] = /^(\d+)(?:-(\d+))?$/.exec(text.trim()) ?? [];
  const [least, most] = [Number(from), Number(to)];
  return from !== '' && least >= 1 && most >= least ? { least, most } : null;
}

/** Whether a batch size is one that the user's rule allows. */
export function followsRule(size: number, rule: BatchRule | undefined): boolean {
  if (rule === undefined) return true;
  return rule === 'power-of-two' ? Number.isInteger(Math.log2(size)) : size % rule === 0;
}

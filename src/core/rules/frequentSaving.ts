import { formatBytes, formatShare } from '../units';
import { timedStep } from './gain';
import { isOn, numberOf, textOf } from './raw';
import { ON_TRAINER } from './rule';
import type { Rule, RuleContext } from './rule';
import { runLength } from './runLength';
import { setKey } from './when';
import type { Say } from '../text/say';

/**
 * Bytes a second of a blocking save: 7B parameters with Adam's states, 12 bytes each, take 148.8 s ("Reducing Model Checkpointing
 * Times by Over 10x", PyTorch's blog, 2024).
 */
const SAVED_BYTES = 0.56e9;

/** Other disks are several times as fast or as slow: less may be nothing. */
const MUCH = 0.2;
/** What the fix leaves of it. */
const LITTLE = 0.05;

export const frequentSaving: Rule = {
  id: 'frequent-saving',
  severity: 'hint',
  summary: 'Checkpoints are saved so often that writing them takes a good part of the time.',
  sources: [
    'transformers trainer.py _save_checkpoint: weights, and optimizer states unless save_only_model',
    'PyTorch blog, “Reducing Model Checkpointing Times by Over 10x with PyTorch Distributed Asynchronous Checkpointing”: 7B in 148.8 s',
    'the speed model: a step’s time (docs/speed.md)',
  ],
  dialects: [...ON_TRAINER, 'llamafactory'],
  check(context) {
    const every = numberOf(context, 'save_steps');
    if (every === null || every < 1 || (textOf(context, 'save_strategy') ?? 'steps') !== 'steps') return [];
    const bytes = savedBytes(context);
    const step = bytes > 0 ? timedStep(context, 'same') : null;
    if (!step || isOnlyOnce(context, every)) return [];
    const writing = bytes / SAVED_BYTES;
    const training = every * step.speed.secondsPerStep.expected;
    const share = writing / (writing + training);
    if (share < MUCH) return [];
    const message = savedText(context.say, { share, bytes, every });
    const to = roundUp((every * writing) / training / LITTLE);
    return [{ at: ['save_steps'], message, remedies: [setKey('save_steps', Math.max(to, every + 1))] }];
  },
};

/** A run that ends before it saves a second time. */
function isOnlyOnce({ run, estimate, data }: RuleContext, every: number): boolean {
  const length = estimate && runLength(run, estimate, data ?? null);
  return length !== null && length.steps < 2 * every;
}

function savedText(
  say: Say,
  { share, bytes, every }: { readonly share: number; readonly bytes: number; readonly every: number },
): string {
  const [time, size] = [formatShare(share), formatBytes(bytes)];
  return every === 1
    ? say(
        'Saves too often: ≈ {0} of the time is for {1} every step. Computed with a disk of 0.56 GB/s. Save less often.',
        time,
        size,
      )
    : say(
        'Saves too often: ≈ {0} of the time is for {1} every {2} steps. Computed with a disk of 0.56 GB/s. Save less often.',
        time,
        size,
        every,
      );
}

const roundUp = (steps: number): number => Math.ceil(steps / 10) * 10;

/** What one rank alone writes: trained weights, and the optimizer's states. */
function savedBytes(context: RuleContext): number {
  const update = context.estimate?.work?.[0]?.update;
  if (!update) return 0;
  return update.weightBytes + (isOn(context, 'save_only_model') ? 0 : update.stateBytes);
}

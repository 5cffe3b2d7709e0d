import { formatBytes, formatShare } from '../units';
import { PCIE_BYTES } from '../speed/roofline';
import { timedStep } from './gain';
import { isOn, numberOf, textOf } from './raw';
import { ON_TRAINER } from './rule';
import type { Rule, RuleContext } from './rule';
import { setKey } from './when';

/** Saving that takes more than this of the time at the rate of PCIe takes several times as much on a disk. */
const MUCH = 0.05;
/** What the fix leaves of it. */
const LITTLE = 0.01;

export const frequentSaving: Rule = {
  id: 'frequent-saving',
  severity: 'hint',
  summary: 'Checkpoints are saved so often that writing them takes a good part of the time.',
  sources: [
    'transformers trainer.py _save_checkpoint: weights, and optimizer states unless save_only_model',
    'the speed model: a step’s time, and bytes a second over PCIe (docs/speed.md)',
  ],
  dialects: [...ON_TRAINER, 'llamafactory'],
  check(context) {
    const every = numberOf(context, 'save_steps');
    if (every === null || every < 1 || (textOf(context, 'save_strategy') ?? 'steps') !== 'steps') return [];
    const bytes = savedBytes(context);
    const step = bytes > 0 ? timedStep(context) : null;
    if (!step) return [];
    const writing = bytes / PCIE_BYTES;
    const training = every * step.speed.secondsPerStep.expected;
    const share = writing / (writing + training);
    if (share < MUCH) return [];
    const message =
      `Saves too often: at least ${formatShare(share)} of the time is for ${formatBytes(bytes)} every ${stepsText(every)}. ` +
      'A disk is slower than the PCIe rate that this is computed with.';
    const to = roundUp((every * writing) / training / LITTLE);
    return [{ at: ['save_steps'], message, remedies: [setKey('save_steps', Math.max(to, every + 1))] }];
  },
};

const stepsText = (every: number): string => (every === 1 ? 'step' : `${every} steps`);

const roundUp = (steps: number): number => Math.ceil(steps / 10) * 10;

/** What one rank alone writes: trained weights, and the optimizer's states. */
function savedBytes(context: RuleContext): number {
  const update = context.estimate?.work?.[0]?.update;
  if (!update) return 0;
  return update.weightBytes + (isOn(context, 'save_only_model') ? 0 : update.stateBytes);
}

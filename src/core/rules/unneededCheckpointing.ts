import { formatBytes, formatCapacity } from '../units';
import { gainOf, lessTime, timedStep } from './gain';
import type { Rule } from './rule';
import { change } from './when';

/** With adapters, the forward pass, its repetition and the backward pass take about a third each: more is an error of the model. */
const MOST_RECOMPUTED = 0.4;

export const unneededCheckpointing: Rule = {
  id: 'unneeded-checkpointing',
  severity: 'hint',
  summary: 'Gradient checkpointing takes time although the run fits without it.',
  sources: [
    'Chen et al., arXiv 1604.06174: checkpointing runs the forward pass again',
    'the speed model: what is recomputed is counted operation by operation (docs/speed.md)',
  ],
  check(context) {
    if (context.run.quantities.gradientCheckpointing.value !== true) return [];
    const step = timedStep(context);
    const off = change(context.say('Turn off gradient checkpointing'), {
      quantity: 'gradientCheckpointing',
      to: false,
    });
    const gain = step && gainOf(context, step.speed, off.changes);
    if (!gain || gain.share > MOST_RECOMPUTED) return [];
    const { device, capacityBytes } = gain.after;
    const [time, need] = [lessTime(context.say, gain.share), formatBytes(device.expected)];
    const message =
      capacityBytes === null
        ? context.say(
            "Checkpointing isn't needed: {0} without it, and the run fits. It then needs ≈ {1}. Turn it off.",
            time,
            need,
          )
        : context.say(
            "Checkpointing isn't needed: {0} without it, and the run fits. It then needs ≈ {1} of {2}. Turn it off.",
            time,
            need,
            formatCapacity(capacityBytes),
          );
    return [{ at: ['quantity:gradientCheckpointing', 'quantity:microBatchSize'], message, remedies: [off] }];
  },
};

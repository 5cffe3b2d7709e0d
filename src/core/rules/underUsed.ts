import { deviceInWords } from '../hardware/describe';
import { formatBytes, formatCapacity, formatShare } from '../units';
import type { RunSpec } from '../spec/runSpec';
import type { Rule } from './rule';
import { listed } from './when';

/** The guides call a GPU under-used when training leaves it at 30–50 % of its memory. */
const ENOUGH = 0.5;

export const underUsed: Rule = {
  id: 'under-used',
  severity: 'hint',
  summary: 'The run uses less than half of the GPU and could be faster.',
  sources: [
    'training-memory guide, “Memory Underutilized”: 30–50 % used and slower than expected',
    'utilisation guide, “Scale up model and batch size to better utilize GPU”',
  ],
  check({ estimate, run }) {
    const device = estimate?.devices[0];
    if (!device?.usableBytes || device.capacityBytes === null || device.verdict !== 'fits') return [];
    // The upper end counts: where the estimate is wide, nothing is known to be spare.
    if (device.device.high >= device.usableBytes * ENOUGH) return [];
    // What serves, merges or exports has no batch of its own to grow.
    if (!device.phases.some(({ phase }) => phase === 'backward')) return [];
    const share = formatShare(device.device.expected / device.capacityBytes);
    const message =
      `Uses ≈ ${formatBytes(device.device.expected)} of ${formatCapacity(device.capacityBytes)} ` +
      `on ${deviceInWords(device)} (${share}). ` +
      `${listed(ways(run), 'or')} would make it faster.`;
    return [{ at: ['quantity:microBatchSize', 'quantity:model'], message, plan: 'fill' }];
  },
};

/** What this run could do with more memory. */
function ways({ quantities }: RunSpec): readonly string[] {
  const accumulates = (quantities.gradAccum.value ?? 1) > 1;
  const batch = `A larger micro-batch${accumulates ? ' with less accumulation, at the same effective batch,' : ''}`;
  return quantities.gradientCheckpointing.value === true ? [batch, 'no gradient checkpointing'] : [batch];
}

import { formatBytes, formatShare } from '../units';
import type { Rule } from './rule';
import { GUIDE } from './dialectGroups';

/** `safety_margin` of the guide's script. */
const MARGIN = 0.85;

export const guideMargin: Rule = {
  id: 'guide-margin',
  severity: 'information',
  summary: 'The run fits, but uses more than the recommended 85 %.',
  sources: [
    'lowmason/naics-embedder e418955 scripts/optimize_gpu_config.py find_optimal_batch_size: safety_margin=0.85',
    'training-memory guide, “Use full GPU memory (80–90%)”',
  ],
  dialects: GUIDE,
  check({ estimate }) {
    const [device] = estimate?.devices ?? [];
    const capacity = device?.capacityBytes ?? null;
    if (!device || capacity === null || device.verdict !== 'fits') return [];
    if (device.device.expected <= capacity * MARGIN) return [];
    const message =
      `This run is expected to use ${formatBytes(device.device.expected)}, ${formatShare(device.device.expected / capacity)} of the GPU; the guide plans with ${formatShare(MARGIN)}. ` +
      'A batch_size 10–20 % smaller restores its margin.';
    return [{ at: ['quantity:microBatchSize'], message }];
  },
};

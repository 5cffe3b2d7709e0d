import { deviceInWords } from '../render/gpu';
import { formatBytes, formatCapacity } from '../render/units';
import type { Rule } from './rule';
import { RUNS } from './dialectGroups';

export const tight: Rule = {
  id: 'tight',
  severity: 'information',
  summary: 'The run is expected to fit, but not by much.',
  sources: ['the estimate and its interval'],
  dialects: RUNS,
  check({ estimate }) {
    const device = estimate?.devices.find(one => one.verdict === 'tight');
    const capacity = device?.capacityBytes ?? null;
    if (!device || capacity === null) return [];
    const message =
      `This run is expected to use ${formatBytes(device.device.expected)} of ${deviceInWords(device)}'s ` +
      `${formatCapacity(capacity)} and could reach ${formatBytes(device.device.high)}. ` +
      'Keep other programs off the GPU, or take a fix that leaves more room.';
    return [{ at: ['quantity:microBatchSize', 'quantity:model'], message, plan: 'fit' }];
  },
};

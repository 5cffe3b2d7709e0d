import { profileOf } from '../memory/frameworks/profileOf';
import { deviceInWords } from '../hardware/describe';
import { formatBytes, formatCapacity } from '../units';
import type { RunSpec } from '../spec/runSpec';
import type { Rule } from './rule';

export const tight: Rule = {
  id: 'tight',
  severity: 'information',
  summary: 'The run fits, but only just.',
  sources: ['the estimate and its interval'],
  check({ estimate, run }) {
    const device = estimate?.devices.find(one => one.verdict === 'tight');
    const capacity = device?.capacityBytes ?? null;
    if (!device || capacity === null || fillsItsShare(run)) return [];
    const message =
      `Fits, but tight: uses ≈ ${formatBytes(device.device.expected)} of ${formatCapacity(capacity)} ` +
      `on ${deviceInWords(device)} and could reach ${formatBytes(device.device.high)}. ` +
      'Keep other programs off the GPU, or apply a fix that frees memory.';
    return [{ at: ['quantity:microBatchSize', 'quantity:model'], message, plan: 'fit' }];
  },
};

/** An engine that fills its share of the GPU with keys and values leaves nothing on purpose. */
const fillsItsShare = ({ framework }: RunSpec): boolean => profileOf(framework).serving !== null;

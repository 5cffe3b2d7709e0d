import type { DeviceEstimate, Term } from '../memory/estimate';
import { deviceInWords } from '../hardware/describe';
import { formatBytes } from '../units';
import { room } from '../memory/words';
import { phaseInWords } from '../memory/words';
import type { Rule } from './rule';

export const doesNotFit: Rule = {
  id: 'does-not-fit',
  severity: 'warning',
  summary: 'The run needs more memory than the GPU has.',
  sources: ['the estimate; its terms and formulas are in the hover'],
  check({ estimate, target }) {
    const device = estimate?.devices.find(one => one.verdict === 'exceeds');
    const capacity = device?.capacityBytes ?? null;
    if (!device || capacity === null) return [];
    const cache = device.terms.find(({ term }) => term === 'kv cache');
    if (cache && device.device.expected <= (device.usableBytes ?? 0)) {
      return [{ at: ['quantity:seqLen', 'quantity:model'], message: noSequence(cache), plan: 'fit' }];
    }
    const message =
      `Needs ≈ ${formatBytes(device.device.expected)}, ${deviceInWords(device)} has ` +
      `${room(device)}${held(target?.busyMiB ?? 0)}. Peak in the ${phaseInWords(device.peakPhase)}. ` +
      `Largest: ${largest(device)
        .map(term => `${term.term} ${formatBytes(term.bytes)}`)
        .join(', ')}. ` +
      'Quick fixes help; Optimize finds a combination that fits.';
    return [{ at: ['quantity:microBatchSize', 'quantity:model'], message, plan: 'fit' }];
  },
};

/** An engine takes what there is, and starts only when that holds one sequence of the length it promises. */
const noSequence = ({ bytes, formula }: Term): string =>
  `The ${formatBytes(bytes)} left for the KV cache hold less than one sequence (${formula}), so the engine refuses to start. ` +
  'Lower the maximum sequence length, or use a GPU with more memory.';

/** Memory that other processes hold on the device now. */
function held(busyMiB: number): string {
  return busyMiB > 0 ? `, ${formatBytes(busyMiB * 2 ** 20)} of it used by other processes` : '';
}

function largest(device: DeviceEstimate): readonly Term[] {
  return device.terms.toSorted((a, b) => b.bytes - a.bytes).slice(0, 2);
}

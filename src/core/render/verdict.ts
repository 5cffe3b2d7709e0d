import type { Verdict } from '../memory/estimate';
import type { RunAnalysis } from '../analysis';
import { formatBytes, formatCapacity } from './units';

export const VERDICT_WORDS: Readonly<Record<Verdict, string>> = {
  fits: 'fits',
  tight: 'tight',
  exceeds: 'does not fit',
  unknown: 'unknown',
};

/** The answer in one line: `≈ 21.4 GB of 24 GB · fits · RTX 4090`. */
export function answer(analysis: RunAnalysis): string {
  const device = analysis.estimate?.devices[0];
  if (!device) return `GPU memory unknown · ${analysis.missing[0] ?? 'nothing to go by'}`;
  const need = `≈ ${formatBytes(device.device.expected)}`;
  if (device.capacityBytes === null) return `${need} per GPU · choose a GPU to compare with`;
  const gpus = analysis.run.quantities.gpus.value;
  const name = gpus && gpus > 1 ? `${gpus} × ${device.name}` : device.name;
  return `${need} of ${formatCapacity(device.capacityBytes)} · ${VERDICT_WORDS[device.verdict]} · ${name}`;
}

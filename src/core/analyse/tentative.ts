import type { Tentative } from '../rules/analysis';
import type { Estimate } from '../memory/estimate';
import type { RunSpec } from '../spec/runSpec';
import type { QuantityName } from '../spec/values';

/** What an answer hangs on more than on anything else. */
const WEIGHTY: readonly QuantityName[] = [
  'model',
  'method',
  'optimizer',
  'precision',
  'microBatchSize',
  'gradientCheckpointing',
];

/** What can be said of a run that was read by vocabulary: what was taken for granted, and, without it, perhaps a verdict. */
export function tentativeOf({ quantities }: RunSpec, estimate: Estimate | null): Tentative {
  const assumed = WEIGHTY.filter(name => {
    const { kind } = quantities[name].origin;
    return kind !== 'file' && kind !== 'referenced' && kind !== 'user';
  });
  const verdict = estimate?.devices[0]?.verdict ?? 'unknown';
  return { perhaps: assumed.length === 0 && verdict !== 'unknown' ? verdict : null, assumed };
}

/** The amounts of an estimate, judging nothing. */
export const unjudgedEstimate = (estimate: Estimate): Estimate => ({
  ...estimate,
  devices: estimate.devices.map(device => ({ ...device, verdict: 'unknown' as const })),
});

import type { Estimate, HostEstimate } from '../memory/estimate';
import { formatBytes, formatRange } from '../units';

const PHASES: Readonly<Record<HostEstimate['phase'], string>> = {
  load: 'while loading',
  training: 'while training',
  save: 'while saving',
  resume: 'while reading a checkpoint',
  merge: 'while merging adapters',
};

/** Smaller amounts are the same in every run: nobody wants to read them. */
const LEAST_BYTES = 2 ** 30 / 10;

/** What a machine's own memory is needed for, in a sentence; null where it is not known or no more than its processes. */
export function hostInWords({ host }: Estimate): string | null {
  if (!host) return null;
  const { low, expected, high } = host.bytes;
  const rows = host.terms.filter(({ bytes }) => bytes.high >= LEAST_BYTES);
  const parts = rows.map(({ term, bytes, formula }) => `${term} ${formatBytes(bytes.expected)} (${formula})`);
  const of = host.capacityBytes === null ? '' : ` of ${formatBytes(host.capacityBytes)}`;
  return `Host RAM: ${formatBytes(expected)}${of} (${formatRange(low, high)}) ${PHASES[host.phase]}: ${parts.join(', ')}.`;
}

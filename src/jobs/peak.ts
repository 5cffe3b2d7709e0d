import type { JobPeak } from './job';

/** The most that a job held on each of its GPUs, as its peak; null where that was never seen on any. */
export function peakOfEach(amounts: readonly number[], source: string): JobPeak | null {
  const devices = amounts.filter(bytes => bytes > 0).toSorted((a, b) => b - a);
  const [bytes = 0] = devices;
  if (bytes === 0) return null;
  return { metric: 'device', bytes, ...(devices.length > 1 && { devices }), source };
}

import type { Estimate, PlacedOn } from '../memory/estimate';
import { formatBytes } from '../units';

const nameOf = (device: PlacedOn['device']): string =>
  typeof device === 'number' ? `GPU ${device}` : device === 'cpu' ? 'the host' : 'the disk';

/** Which modules a device map puts where, in a sentence; null where it puts all on one device. */
export function placedInWords({ placed }: Estimate): string | null {
  if (!placed || placed.length < 2) return null;
  const parts = placed.map(
    ({ device, modules, bytes }) => `${nameOf(device)} ${modules.join(', ')} (${formatBytes(bytes)})`,
  );
  return `The device map puts on ${parts.join('; on ')}.`;
}

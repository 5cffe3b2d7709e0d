import type { Target } from '../hardware/gpu';
import { contextBytes, libraryWorkspaces } from './context';
import { hasFlash } from './setup/recompute';

/**
 * The traits of a device that affect estimates and remedies in addition to its memory: devices with the same
 * traits, memory and count give the same estimate. If an estimate uses another property of a device, add it here; a
 * test over the catalog checks this.
 */
export function deviceTraits(target: Target): string {
  const { gpu, count, nodes } = target;
  const flash = `${hasFlash(target)} ${gpu?.supports.flashAttention2 ?? null}`;
  return [libraryWorkspaces(target, 1)[0], contextBytes(target), flash, count, nodes].join(' ');
}

import type { Target } from '../hardware/gpu';
import { contextBytes, libraryWorkspaces } from './context';
import { hasFlash } from './setup/recompute';

/**
 * What an estimate, and a remedy, sees of a device in addition to its memory: devices with the same traits, memory and number take
 * the same of a run. If an estimate looks at something else of a device, add it here; a test over the catalog
 * holds the two together.
 */
export function deviceTraits(target: Target): string {
  const { gpu, count, nodes } = target;
  const flash = `${hasFlash(target)} ${gpu?.supports.flashAttention2 ?? null}`;
  return [libraryWorkspaces(target, 1)[0], contextBytes(target), flash, count, nodes].join(' ');
}

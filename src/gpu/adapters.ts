import { totalmem } from 'node:os';
import { graphics } from 'systeminformation';
import { wordsOf } from './parse/amount';
import type { GpuDevice } from './device';
import { vendorOf } from './system/vendor';
import { isVirtual } from './system/windows';
import { MIB } from '../core/units';

/** A graphics adapter as the operating system names it. */
export interface Adapter {
  readonly name: string;
  readonly vendor: GpuDevice['vendor'];
  readonly pciBusId?: string | null;
  /** All of the machine's memory where the GPU shares it (Apple silicon); else null, since the system is often wrong. */
  readonly sharedMemoryMiB: number | null;
}

/** What of systeminformation's answer is read. */
export interface Controller {
  readonly vendor: string;
  readonly model: string;
  readonly busAddress?: string | null;
}

/**
 * Adapters through systeminformation: names only, once, when no vendor's tool is there. Its memory sizes are not taken
 * (Windows caps them at 4 GB, Linux reads an address window), nor its load.
 */
export async function systemAdapters(): Promise<readonly Adapter[]> {
  try {
    const { controllers } = await graphics();
    return adaptersOf(controllers);
  } catch {
    return [];
  }
}

/** Of the list only what is a GPU of a vendor we know: there are gaps in it, remote displays, virtual machines. */
export function adaptersOf(controllers: readonly (Controller | undefined)[]): readonly Adapter[] {
  return controllers.flatMap(controller => {
    const { vendor: maker = '', model = '', busAddress } = controller ?? {};
    const vendor = vendorOf(`${maker} ${model}`);
    if (vendor === 'unknown' || isVirtual(model)) return [];
    // lspci puts the name people know in brackets: `GA102 [GeForce RTX 3090]`.
    const name = /\[([^\]]+)\]/.exec(model)?.[1] ?? model.trim();
    const sharedMemoryMiB = vendor === 'apple' ? Math.round(totalmem() / MIB) : null;
    return [{ name, vendor, pciBusId: wordsOf(busAddress), sharedMemoryMiB }];
  });
}

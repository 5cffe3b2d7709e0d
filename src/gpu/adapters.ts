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
  /**
   * The machine's whole memory if the GPU shares it (Apple silicon); else null, because the system is often wrong.
   */
  readonly sharedMemoryMiB: number | null;
}

/** The fields of systeminformation's result that are used. */
interface Controller {
  readonly vendor: string;
  readonly model: string;
  readonly busAddress?: string | null;
}

/**
 * Adapters through systeminformation: names only, once, if no vendor's tool is installed. Its memory sizes are not
 * used (Windows caps them at 4 GB, Linux reads an address window), nor its utilization.
 */
export async function systemAdapters(): Promise<readonly Adapter[]> {
  try {
    const { controllers } = await graphics();
    return adaptersOf(controllers);
  } catch {
    return [];
  }
}

/** Keeps only GPUs of known vendors: the list contains gaps, remote displays and virtual machines. */
export function adaptersOf(controllers: readonly (Controller | undefined)[]): readonly Adapter[] {
  return controllers.flatMap(controller => {
    const { vendor: maker = '', model = '', busAddress } = controller ?? {};
    const vendor = vendorOf(`${maker} ${model}`);
    if (vendor === 'unknown' || isVirtual(model)) return [];
    // lspci puts the common name in brackets: `GA102 [GeForce RTX 3090]`.
    const name = /\[([^[\]]+)\]/.exec(model)?.[1] ?? model.trim();
    const sharedMemoryMiB = vendor === 'apple' ? Math.round(totalmem() / MIB) : null;
    return [{ name, vendor, pciBusId: wordsOf(busAddress), sharedMemoryMiB }];
  });
}

import { totalmem } from 'node:os';
import { graphics } from 'systeminformation';
import type { GpuDevice } from './device';

/** A graphics adapter as the operating system names it. */
export interface Adapter {
  readonly name: string;
  readonly vendor: GpuDevice['vendor'];
  /** All of the machine's memory where the GPU shares it (Apple silicon); else null, since the system is often wrong. */
  readonly sharedMemoryMiB: number | null;
}

const MIB = 1024 * 1024;

const VENDORS: readonly (readonly [GpuDevice['vendor'], RegExp])[] = [
  ['apple', /\bapple\b/i],
  ['nvidia', /nvidia/i],
  ['amd', /\b(?:amd|ati|advanced micro devices|radeon)\b/i],
  ['intel', /\bintel\b/i],
];

/**
 * Adapters through systeminformation: names only, once, when no vendor's tool is there. Its memory sizes are not taken
 * (Windows caps them at 4 GB, Linux reads an address window), nor its load.
 */
export async function systemAdapters(): Promise<readonly Adapter[]> {
  try {
    const { controllers } = await graphics();
    return controllers.flatMap(({ vendor, model }) => adapter(`${vendor} ${model}`, model) ?? []);
  } catch {
    return [];
  }
}

/** Null for what is no GPU of a vendor we know: remote displays, virtual machines. */
export function adapter(words: string, model: string): Adapter | null {
  const vendor = VENDORS.find(([, pattern]) => pattern.test(words))?.[0];
  if (vendor === undefined) return null;
  // lspci puts the name people know in brackets: `GA102 [GeForce RTX 3090]`.
  const name = /\[([^\]]+)\]/.exec(model)?.[1] ?? model.trim();
  return { name, vendor, sharedMemoryMiB: vendor === 'apple' ? Math.round(totalmem() / MIB) : null };
}

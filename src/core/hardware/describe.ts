import type { GpuFacts, Target } from './gpu';
import type { Say } from '../text/say';
import { formatCapacity, groupDigits, MIB } from '../units';

/** The facts that distinguish GPUs in a list: `24 GB · Ada Lovelace`. Omits unknown facts. */
export function describeGpu({ memoryMiB, marketingGB, architecture }: GpuFacts): string {
  const memory = memoryMiB ?? (marketingGB === null ? null : marketingGB * 1024);
  const parts = [memory === null ? null : formatCapacity(memory * MIB), architecture];
  return parts.filter(part => part !== null).join(' · ');
}

/** The device of an estimate. */
interface NamedDevice {
  readonly name: string;
  readonly capacityBytes: number | null;
}

/**
 * A device within a sentence; a target that is an amount of memory has no other name. `24 GB, last of 4 pipeline
 * stages` is the GPU of that stage.
 */
export function describeDevice(say: Say, { name, capacityBytes }: NamedDevice): string {
  const [head = name, which] = name.split(', ');
  const bare = capacityBytes !== null && head === formatCapacity(capacityBytes) ? say('the GPU') : head;
  if (which === undefined) return bare;
  return which.startsWith('GPU') ? `${bare}, ${which},` : say('{0} of the {1}', bare, which);
}

/** A target as a list item: `RTX 4090 · 24 GB`, `2 × A100 80GB · 80 GB`, `GB10 · 128 GB, shared with the CPU`. */
export function describeTarget(say: Say, { name, count, totalMiB, gpu }: Target): string {
  const named = count !== null && count > 1 ? `${count} × ${name}` : name;
  const size = formatCapacity(totalMiB * MIB);
  if (named === size) return named;
  const text = `${named} · ${size}`;
  return gpu?.unified ? say('{0}, shared with the CPU', text) : text;
}

/** `1 GPU`, `2 GPUs`. */
export const gpusText = (say: Say, count: number): string =>
  count === 1 ? say('1 GPU') : say('{0} GPUs', groupDigits(count));

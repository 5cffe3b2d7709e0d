import type { GpuFacts } from './gpu';
import type { GpuMatch } from './match';

export interface GpuSource {
  /** By any name a person or a tool uses (`RTX 4090`, `NVIDIA GeForce RTX 4090`, `a100-80gb`) that means one GPU. */
  find(name: string): GpuFacts | null;
  /** The same, with what else it may mean, or names near it. */
  match(name: string): GpuMatch;
  /** By what a tool prints: cards that share a name are told apart by the total it shows. */
  ofDevice(name: string, totalMiB: number | null): GpuFacts | null;
  all(): readonly GpuFacts[];
}

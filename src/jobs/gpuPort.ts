import type { GpuSight } from '../core/hardware/sight';

/** How jobs see GPUs; implemented by other rooms, since jobs do not know the tools. */
export interface GpuPort {
  /** The latest reading; null if no GPU can be read. */
  look(): Promise<GpuSight | null>;
  /** Queries the tools now: slower, but fresh. */
  now(): Promise<GpuSight | null>;
  dispose(): void;
}

/** For a machine whose GPUs are not read. */
export const NO_GPUS: GpuPort = {
  look: () => Promise.resolve(null),
  now: () => Promise.resolve(null),
  dispose: () => undefined,
};

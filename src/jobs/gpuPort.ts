/** What jobs need to know about a GPU of this machine. */
export interface PortGpu {
  /** In the form of CUDA_VISIBLE_DEVICES: of the GPU, or of a MIG instance. */
  readonly uuid: string;
  /** In the tool's order, for display. */
  readonly index: number;
  readonly name: string | null;
  readonly vendor: string;
  readonly totalBytes: number | null;
  readonly freeBytes: number | null;
  readonly usedBytes: number | null;
  readonly utilPct: number | null;
  readonly tempC: number | null;
  readonly powerW: number | null;
}

/** Memory that a process holds on one GPU. */
export interface PortProcess {
  readonly pid: number;
  readonly uuid: string | null;
  readonly name: string | null;
  readonly bytes: number | null;
}

/** The GPUs of this machine at one point in time. */
export interface GpuSight {
  readonly gpus: readonly PortGpu[];
  /** Null: no tool reports the processes. */
  readonly processes: readonly PortProcess[] | null;
  /** The tool: `nvidia-smi`. */
  readonly source: string;
}

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

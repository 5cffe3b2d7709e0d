/** What jobs need to know of a GPU of this machine. */
export interface PortGpu {
  /** As CUDA_VISIBLE_DEVICES takes it: of the GPU, or of an instance of one (MIG). */
  readonly uuid: string;
  /** In the tool's order, for people. */
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

/** The GPUs of this machine at one moment. */
export interface GpuSight {
  readonly gpus: readonly PortGpu[];
  /** Null: no tool says who is on them. */
  readonly processes: readonly PortProcess[] | null;
  /** Who says so: `nvidia-smi`. */
  readonly source: string;
}

/** How jobs see GPUs: filled where rooms meet, since jobs know nothing of tools. */
export interface GpuPort {
  /** The latest; null where no GPU can be read. */
  look(): Promise<GpuSight | null>;
  /** Asks the tools now: dearer, and as fresh as can be. */
  now(): Promise<GpuSight | null>;
  dispose(): void;
}

/** Of a machine whose GPUs no one reads. */
export const NO_GPUS: GpuPort = {
  look: () => Promise.resolve(null),
  now: () => Promise.resolve(null),
  dispose: () => undefined,
};

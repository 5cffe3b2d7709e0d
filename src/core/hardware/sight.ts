/** A GPU or MIG instance of this machine, as a queue that assigns it needs to know it. */
export interface SeenGpu {
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
export interface SeenProcess {
  readonly pid: number;
  readonly uuid: string | null;
  readonly name: string | null;
  readonly bytes: number | null;
}

/** The GPUs of this machine at one point in time. */
export interface GpuSight {
  readonly gpus: readonly SeenGpu[];
  /** Null: no tool reports the processes. */
  readonly processes: readonly SeenProcess[] | null;
  /** The tool: `nvidia-smi`. */
  readonly source: string;
}

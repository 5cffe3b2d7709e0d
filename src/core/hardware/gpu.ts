/** A slice of a GPU (multi-instance GPU) that runs as its own device. */
interface MigProfile {
  /** `1g.10gb` */
  readonly profile: string;
  readonly memoryMiB: number | null;
}

/** Published dense rates in tera-operations a second; null: the GPU has no such arithmetic, or it is not known. */
export interface Rates {
  readonly fp32: number | null;
  readonly tf32: number | null;
  /** 16-bit factors with fp32 sums. */
  readonly half: number | null;
  readonly fp8: number | null;
  readonly int8: number | null;
}

/** A GPU type. Null means unknown, never zero. */
export interface GpuFacts {
  /** The name that the vendor's tool prints: `NVIDIA GeForce RTX 4090`. */
  readonly name: string;
  /** The usual short name: `RTX 4090`. Unique in the catalog. */
  readonly label: string;
  readonly aliases: readonly string[];
  readonly vendor: 'NVIDIA' | 'AMD' | 'Intel' | 'Apple' | 'other';
  readonly architecture: string | null;
  readonly computeCapability: string | null;
  /** `PCIe`, `SXM5`, `laptop` … */
  readonly form: string | null;
  /** The advertised size. */
  readonly marketingGB: number | null;
  /** The total that the vendor's tool shows; null if unknown. */
  readonly memoryMiB: number | null;
  /** Where the total comes from: a tool's output, the catalog author's recollection, or the advertised size. */
  readonly memoryBasis: 'seen' | 'recalled' | 'nominal' | null;
  /** Totals that other drivers, ECC settings and board variants show. */
  readonly otherTotalsMiB: readonly number[];
  /** Memory that a program can allocate, context included, if measured; otherwise see `usableMiB` in usable.ts. */
  readonly usableMiB: number | null;
  /** The GPU shares its memory with the CPU. */
  readonly unified: boolean;
  readonly mig: readonly MigProfile[];
  /** CUDA context and loaded kernels of one process, if measured on this card. */
  readonly contextMiB: number | null;
  readonly bandwidthGBs: number | null;
  /** Peak rates of products of matrices; null: not known. */
  readonly rates: Rates | null;
  /** The board's limit. */
  readonly powerW: number | null;
  /** To other GPUs, both directions together; null: only over PCIe. */
  readonly nvlinkGBs: number | null;
  readonly supports: {
    readonly bf16: boolean | null;
    readonly fp8: boolean | null;
    readonly flashAttention2: boolean | null;
    readonly mig: boolean | null;
  };
}

/** The devices of one machine that a program can be told to use. */
interface PresentDevices {
  /** The driver's permanent ids (`GPU-…`, `MIG-…`), the most free memory first. */
  readonly uuids: readonly string[];
  /** Number of devices in the machine, of any type. */
  readonly ofMachine: number;
}

/** The devices that a run is compared with: `count` equal GPUs in total, over `nodes` machines. */
export interface Target {
  /** `RTX 4090`, `24 GB`. */
  readonly name: string;
  readonly totalMiB: number;
  readonly usableMiB: number;
  /** Memory that other processes hold now; 0 for a planned GPU. */
  readonly busyMiB: number;
  readonly gpu: GpuFacts | null;
  /** Total number of GPUs if the config does not say; null: the config decides, else 1. */
  readonly count: number | null;
  readonly nodes: number;
  /** Host RAM of each machine; absent or null: unknown. */
  readonly hostMiB?: number | null;
  /** The individual devices, if known. */
  readonly devices?: PresentDevices;
  readonly kind: 'planned' | 'present';
}

/** A slice of a GPU (multi-instance GPU) that runs as its own device. */
export interface MigProfile {
  /** `1g.10gb` */
  readonly profile: string;
  readonly memoryMiB: number | null;
}

/** What one type of GPU is. Nulls are unknown, never zero. */
export interface GpuFacts {
  /** As the vendor's tool prints it: `NVIDIA GeForce RTX 4090`. */
  readonly name: string;
  /** As people say it: `RTX 4090`. Unique in the catalog. */
  readonly label: string;
  readonly aliases: readonly string[];
  readonly vendor: 'NVIDIA' | 'AMD' | 'Intel' | 'Apple' | 'other';
  readonly architecture: string | null;
  readonly computeCapability: string | null;
  /** `PCIe`, `SXM5`, `laptop` … */
  readonly form: string | null;
  /** The size on the box. */
  readonly marketingGB: number | null;
  /** What the tool shows as total; null when no one wrote it down. */
  readonly memoryMiB: number | null;
  /** How the total is known: from a tool's output, from the catalog's author, or as the size on the box. */
  readonly memoryBasis: 'seen' | 'recalled' | 'nominal' | null;
  /** Totals that other drivers, ECC settings and board variants show. */
  readonly otherTotalsMiB: readonly number[];
  /** What a program can allocate, context included, where it was measured; `usableMiB` in usable.ts has the rule. */
  readonly usableMiB: number | null;
  /** The memory is the CPU's, too. */
  readonly unified: boolean;
  readonly mig: readonly MigProfile[];
  /** CUDA context and loaded kernels of one process, where it was measured on this card. */
  readonly contextMiB: number | null;
  readonly bandwidthGBs: number | null;
  readonly supports: {
    readonly bf16: boolean | null;
    readonly fp8: boolean | null;
    readonly flashAttention2: boolean | null;
    readonly mig: boolean | null;
  };
}

/** Devices of one machine, as a program can be told to use some of them. */
export interface PresentDevices {
  /** As the driver names them for good (`GPU-…`, `MIG-…`), those with most memory left first. */
  readonly uuids: readonly string[];
  /** How many the machine has, of whatever kind. */
  readonly ofMachine: number;
}

/** The devices a run is judged against: `count` equal GPUs in all, over `nodes` machines. */
export interface Target {
  /** `RTX 4090`, `24 GB`. */
  readonly name: string;
  readonly totalMiB: number;
  readonly usableMiB: number;
  /** Memory other processes hold now; 0 for a planned GPU. */
  readonly busyMiB: number;
  readonly gpu: GpuFacts | null;
  /** GPUs in all when the config does not say; null: the config decides, else 1. */
  readonly count: number | null;
  readonly nodes: number;
  /** Memory of each machine itself; absent or null: not known. */
  readonly hostMiB?: number | null;
  /** The devices themselves, where they are known one by one. */
  readonly devices?: PresentDevices;
  readonly kind: 'planned' | 'present';
}

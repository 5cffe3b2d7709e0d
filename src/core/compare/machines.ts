/** A GPU of this machine or of a host that a program can be given by UUID, in its current state. */
export interface FreeGpu {
  readonly index: number;
  readonly uuid: string;
  readonly name: string;
  readonly totalBytes: number | null;
  readonly freeBytes: number | null;
}

/**
 * A part of a cluster that a scheduler allocates, even if little is known of its GPUs: a Slurm partition, or a
 * whole Ray cluster.
 */
export interface ClusterPart {
  /** The id of its host: `slurm:local`, `ray:10.0.0.7:8265`. */
  readonly host: string;
  readonly engine: 'slurm' | 'ray';
  /** The partition; null: the scheduler's default. */
  readonly partition: string | null;
  readonly name: string;
  /** Null: unknown. */
  readonly gpus: number | null;
  readonly free: number | null;
  readonly note: string | null;
}

/** A host or a part of a cluster that can do work which needs no GPU. */
export interface OtherPlace extends Pick<ClusterPart, 'host' | 'partition' | 'name' | 'note'> {
  readonly engine: 'ssh' | ClusterPart['engine'];
}

/** One of several hosts that share the work. */
export interface HostOfMany {
  readonly alias: string;
  readonly name: string;
  /** GPUs with a UUID. */
  readonly gpus: readonly FreeGpu[];
  /** Why the host cannot be used; null: it can. */
  readonly trouble: string | null;
}

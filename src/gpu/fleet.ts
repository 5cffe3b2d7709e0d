import type { GpuDevice } from './device';
import type { GpuProcess, GpuSample, Measure } from './sample';
import type { ToolErrorKind } from './tool';

/** A place with GPUs: this machine, a host over SSH, a cluster, an exporter of metrics. */
export interface Host {
  /** `local`, `ssh:ALIAS`, `slurm:ALIAS`, `ray:ADDRESS`, `kubernetes:CONTEXT`: stable between windows. */
  readonly id: string;
  readonly kind: 'local' | 'ssh' | 'slurm' | 'ray' | 'kubernetes' | 'metrics';
  /** Its display name. */
  readonly name: string;
}

export type HostState =
  /** Not held, so nothing is read. */
  | 'idle'
  | 'connecting'
  | 'live'
  /** No data for three intervals; the values are old. */
  | 'stale'
  /** The GPUs are suspended and are not woken for a reading. */
  | 'asleep'
  | 'no-gpu'
  | 'auth-needed'
  | 'hostkey-unknown'
  | 'hostkey-changed'
  | 'unreachable'
  | 'no-tool'
  | 'driver-error';

/** The state of a host, and what its user can do about it. */
export interface HostStatus {
  readonly state: HostState;
  /** A sentence that says what happened; null while all is well. */
  readonly message: string | null;
  /** A sentence that says what to do, with the command if there is one. */
  readonly todo: string | null;
  /** The output of the tool or of ssh, in one line without control characters. */
  readonly text: string | null;
  readonly sinceMs: number;
  readonly nextTryMs: number | null;
  /** `nvidia-smi stream`, `amd-smi query`, `sinfo` …; null before the first answer. */
  readonly collector: string | null;
  readonly latencyMs: number | null;
  /** The kind of a tool's error, if it is one. */
  readonly errorKind?: ToolErrorKind;
}

/** The load of the machine around the GPUs. Null: unknown. */
export interface MachineLoad {
  readonly cpuPct: number | null;
  readonly memoryTotalMiB: number | null;
  readonly memoryUsedMiB: number | null;
}

/** GPUs of one type in one part of a cluster (a Slurm partition, a Ray node), as its scheduler counts them. */
export interface Capacity {
  /** Partition or node. */
  readonly place: string;
  readonly gpu: string | null;
  readonly memoryMiB: number | null;
  readonly nodes: number;
  readonly gpusTotal: number;
  readonly gpusFree: number | null;
  /** Why some are unavailable (`2 nodes drained`), or a limit (`1-00:00:00 at most`). */
  readonly note: string | null;
  /** The same per node, if the scheduler reports it: a job on one node can get no more than one of these has. */
  readonly members?: readonly CapacityNode[];
  /** Who holds them, if the scheduler says so. */
  readonly holders?: readonly CapacityHolder[];
}

/** What holds GPUs of a cluster: a pod. */
export interface CapacityHolder {
  /** `namespace/name`. */
  readonly name: string;
  /** GPUs, or a share of one; null: only an amount of memory. */
  readonly gpus: number | null;
  readonly memoryMiB?: number;
}

/** GPUs of one type on one node of a cluster. */
export interface CapacityNode {
  readonly name: string;
  readonly gpusTotal: number;
  readonly gpusFree: number | null;
  /** Why it is unavailable or only partly available (`drained: Xid 79 on GPU 3`). */
  readonly note: string | null;
}

/** Everything currently known about a host. */
export interface HostReading {
  readonly host: Host;
  readonly status: HostStatus;
  readonly devices: readonly GpuDevice[];
  readonly samples: readonly GpuSample[];
  /** Null: unknown (not read yet, or hidden); empty: none. */
  readonly processes: readonly GpuProcess[] | null;
  readonly machine: MachineLoad | null;
  /** Only for clusters. */
  readonly capacities: readonly Capacity[];
  /** The machine's own name: one alias may lead to several login nodes. */
  readonly hostName?: string | null;
}

/** Reads one host while it is held, and starts nothing otherwise. */
export interface HostWatch {
  readonly host: Host;
  /** The latest reading; its samples may be old, as its status says. */
  readonly reading: HostReading;
  /** Notifies of every new reading until the returned function is called. */
  on(listener: (reading: HostReading) => void): () => void;
  /** Requests readings until the returned function is called. */
  hold(): () => void;
  /** Retries immediately, ignoring the pause after failures. */
  retry(): void;
  dispose(): void;
}

/** One measure over time: local times and values in parallel arrays, oldest first; NaN if not read. */
export interface Series {
  readonly timesMs: Float64Array;
  readonly values: Float64Array;
}

/** Samples of the last hour, by `deviceId`. */
export interface SampleHistory {
  add(hostId: string, samples: readonly GpuSample[]): void;
  series(deviceId: string, measure: Measure, sinceMs: number): Series;
  /** Devices that have samples. */
  devices(): readonly string[];
}

/** All hosts, and their history. */
export interface Fleet {
  watches(): readonly HostWatch[];
  /** Notifies when a host is added or removed. */
  onHosts(listener: () => void): () => void;
  readonly history: SampleHistory;
  dispose(): void;
}

/** Identifies a device among all hosts: two hosts may use the same key (an index) for different GPUs. */
export const deviceId = (hostId: string, device: Pick<GpuDevice, 'key'>): string => `${hostId}/${device.key}`;

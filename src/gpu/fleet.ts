import type { GpuDevice } from './device';
import type { GpuProcess, GpuSample, Measure } from './sample';
import type { ToolErrorKind } from './tool';

/** A place whose GPUs are looked at: this machine, one behind SSH, a Slurm cluster, a Ray cluster. */
export interface Host {
  /** `local`, `ssh:ALIAS`, `slurm:ALIAS`, `ray:ADDRESS`: the same from one window to the next. */
  readonly id: string;
  readonly kind: 'local' | 'ssh' | 'slurm' | 'ray';
  /** As people call it. */
  readonly name: string;
}

export type HostState =
  /** No one looks, so nothing is asked. */
  | 'idle'
  | 'connecting'
  | 'live'
  /** Nothing came for three intervals; what is shown is old. */
  | 'stale'
  /** The GPUs are suspended and are not woken to be asked. */
  | 'asleep'
  | 'no-gpu'
  | 'auth-needed'
  | 'hostkey-unknown'
  | 'hostkey-changed'
  | 'unreachable'
  | 'no-tool'
  | 'driver-error';

/** How it stands with a host, and what its user can do about it. */
export interface HostStatus {
  readonly state: HostState;
  /** What happened, a sentence; null while all is well. */
  readonly message: string | null;
  /** What to do, a sentence with the command where there is one. */
  readonly todo: string | null;
  /** The tool's or ssh's own words, one line, without control characters. */
  readonly text: string | null;
  readonly sinceMs: number;
  readonly nextTryMs: number | null;
  /** `nvidia-smi stream`, `amd-smi query`, `sinfo` …; null before anything answered. */
  readonly collector: string | null;
  readonly latencyMs: number | null;
  /** Which trouble of a tool this is, where it is one. */
  readonly errorKind?: ToolErrorKind;
}

/** The machine around the GPUs. Null: not known. */
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
  /** Why some of them cannot be had (`2 nodes drained`), or a limit (`1-00:00:00 at most`). */
  readonly note: string | null;
  /** The same node by node, where the scheduler tells: a job on one node can get no more than one of these has. */
  readonly members?: readonly CapacityNode[];
}

/** GPUs of one type on one node of a cluster. */
export interface CapacityNode {
  readonly name: string;
  readonly gpusTotal: number;
  readonly gpusFree: number | null;
  /** Why it can be had only in part or not at all (`drained: Xid 79 on GPU 3`). */
  readonly note: string | null;
}

/** All that is known of a host now. */
export interface HostReading {
  readonly host: Host;
  readonly status: HostStatus;
  readonly devices: readonly GpuDevice[];
  readonly samples: readonly GpuSample[];
  /** Null: not known (not asked yet, or hidden); empty: none. */
  readonly processes: readonly GpuProcess[] | null;
  readonly machine: MachineLoad | null;
  /** Of a cluster only. */
  readonly capacities: readonly Capacity[];
  /** What the machine calls itself: one alias may lead to several login nodes. */
  readonly hostName?: string | null;
}

/** Looks at one host while someone holds it, and starts nothing while no one does. */
export interface HostWatch {
  readonly host: Host;
  /** The latest; its samples may be old, which its status says. */
  readonly reading: HostReading;
  /** Hears of every new reading until the returned function is called. */
  on(listener: (reading: HostReading) => void): () => void;
  /** Wants readings until the returned function is called. */
  hold(): () => void;
  /** Tries again at once, whatever pause a failure has earned. */
  retry(): void;
  dispose(): void;
}

/** Of one measure: times of this machine's clock and values side by side, oldest first; NaN where it was not read. */
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

/** All hosts, and what was seen of them. */
export interface Fleet {
  watches(): readonly HostWatch[];
  /** Hears when a host comes or goes. */
  onHosts(listener: () => void): () => void;
  readonly history: SampleHistory;
  dispose(): void;
}

/** A device among all hosts: two hosts may show the same key (an index) for different GPUs. */
export const deviceId = (hostId: string, device: Pick<GpuDevice, 'key'>): string => `${hostId}/${device.key}`;

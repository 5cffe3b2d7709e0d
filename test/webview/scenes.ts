import type { Prediction } from '../../src/core/analyse/prediction';
import { unknownDevice } from '../../src/gpu/device';
import type { GpuDevice, MigInstance } from '../../src/gpu/device';
import type { Host, HostReading, HostState, HostStatus, MachineLoad } from '../../src/gpu/fleet';
import { blankSample } from '../../src/gpu/sample';
import type { GpuProcess, GpuSample } from '../../src/gpu/sample';

/** A GPU's behavior over time: the same numbers at each second. */
interface Load {
  readonly memoryMiB: (second: number) => number;
  readonly utilPct: (second: number) => number;
  readonly tempC: (second: number) => number;
  readonly powerW: (second: number) => number;
  readonly limitW: number;
  readonly throttle?: readonly string[];
}

export interface SceneDevice {
  readonly device: GpuDevice;
  /** Null: its readings are missing. */
  readonly load: Load | null;
  readonly processes: readonly GpuProcess[];
}

export interface SceneHost {
  readonly host: Host;
  readonly status: HostStatus;
  readonly devices: readonly SceneDevice[];
  readonly cpuPct: ((second: number) => number) | null;
  readonly capacities: HostReading['capacities'];
}

export interface Scene {
  readonly hosts: readonly SceneHost[];
  readonly prediction: Prediction | null;
  readonly isRestricted?: boolean;
  readonly hasJobs?: boolean;
}

/** A Thursday noon, so that pictures are the same every day. */
export const NOW_MS = Date.UTC(2026, 10, 19, 12);

/** A host's reading at a second of the scene. */
export function readingAt(scene: SceneHost, second: number): HostReading {
  const { host, status, devices, cpuPct, capacities } = scene;
  const isLive = status.state === 'live';
  const at = isLive ? second : Math.min(second, -40);
  const samples = devices.flatMap(({ device, load }) => (load ? [sampleAt(device, load, at)] : []));
  const processes = devices.length === 0 ? null : devices.flatMap(each => each.processes);
  return {
    host,
    status,
    devices: devices.map(({ device }) => device),
    samples,
    processes,
    machine: cpuPct ? machineAt(cpuPct(at)) : null,
    capacities,
  };
}

const machineAt = (cpuPct: number): MachineLoad => ({
  cpuPct,
  memoryTotalMiB: 257_654,
  memoryUsedMiB: 91_200,
});

function sampleAt({ key, memoryTotalMiB }: GpuDevice, load: Load, second: number): GpuSample {
  const used = load.memoryMiB(second);
  return blankSample(key, NOW_MS + second * 1000, {
    memoryUsedMiB: used,
    memoryFreeMiB: memoryTotalMiB === null ? null : memoryTotalMiB - used,
    utilPct: load.utilPct(second),
    tempC: load.tempC(second),
    powerW: load.powerW(second),
    powerLimitW: load.limitW,
    throttleReasons: load.throttle ?? [],
  });
}

const wave = (second: number, period: number, phase: number): number =>
  Math.sin(((second + phase) / period) * 2 * Math.PI);

/** A training run: memory that rises at its start, a step every few seconds. */
export function training(peakMiB: number, limitW: number, phase = 0): Load {
  return {
    memoryMiB: second => Math.round(peakMiB * (0.97 + 0.03 * wave(second, 9, phase))),
    utilPct: second => Math.round(94 + 5 * wave(second, 7, phase)),
    tempC: second => Math.round(66 + 5 * wave(second, 140, phase)),
    powerW: second => Math.round(limitW * (0.86 + 0.1 * wave(second, 11, phase))),
    limitW,
  };
}

/** A run that waits for its data: bursts and pauses. */
export const starved = (peakMiB: number, limitW: number): Load => ({
  ...training(peakMiB, limitW),
  utilPct: second => (wave(second, 12, 0) > 0 ? 92 : 6),
});

export const hotCard = (peakMiB: number, limitW: number): Load => ({
  ...training(peakMiB, limitW),
  tempC: second => Math.round(88 + wave(second, 60, 0)),
  throttle: ['SW thermal slowdown'],
});

export const idle = (heldMiB: number, limitW: number): Load => ({
  memoryMiB: () => heldMiB,
  utilPct: () => 0,
  tempC: () => 38,
  powerW: () => 22,
  limitW,
});

export function nvidia(
  index: number,
  name: string,
  memoryTotalMiB: number,
  more: Partial<GpuDevice> = {},
): GpuDevice {
  return unknownDevice({
    key: `gpu-${name.replace(/\W/g, '')}-${index}`,
    vendor: 'nvidia',
    index,
    uuid: `GPU-${String(index).padStart(8, '0')}`,
    name,
    memoryTotalMiB,
    memoryKind: 'dedicated',
    driverVersion: '595.71.05',
    virtualization: 'None',
    ...more,
  });
}

export function onDevice({ uuid }: GpuDevice, pid: number, more: Partial<GpuProcess>): GpuProcess {
  return {
    pid,
    name: 'python3',
    memoryUsedMiB: null,
    type: 'C',
    gpuIndex: null,
    gpuUuid: uuid,
    pciBusId: null,
    gpuInstanceId: null,
    computeInstanceId: null,
    ...more,
  };
}

export function status(state: HostState, more: Partial<HostStatus> = {}): HostStatus {
  return {
    state,
    message: null,
    todo: null,
    text: null,
    sinceMs: NOW_MS - 60_000,
    nextTryMs: null,
    collector: 'nvidia-smi stream',
    latencyMs: 12,
    ...more,
  };
}

export const local: Host = { id: 'local', kind: 'local', name: 'This machine' };
export const ssh = (name: string): Host => ({ id: `ssh:${name}`, kind: 'ssh', name });

export function sceneHost(
  host: Host,
  devices: readonly SceneDevice[],
  more: Partial<SceneHost> = {},
): SceneHost {
  return {
    host,
    status: status('live'),
    devices,
    cpuPct: second => 31 + 4 * wave(second, 20, 0),
    capacities: [],
    ...more,
  };
}

export const slice = (index: number, profile: string, totalMiB: number, usedMiB: number): MigInstance => ({
  index,
  uuid: `MIG-${index}`,
  profile,
  gpuInstanceId: index + 7,
  computeInstanceId: 0,
  memoryTotalMiB: totalMiB,
  memoryUsedMiB: usedMiB,
});

export const predicted: Prediction = {
  config: 'qlora.yml',
  file: 'file:///work/qlora.yml',
  run: 'qlora.yml',
  lowMiB: 19_900,
  expectedMiB: 21_400,
  highMiB: 23_100,
  basis: null,
  target: 'RTX 4090',
};

import { totalmem } from 'node:os';
import type { Target } from '../core/hardware/gpu';
import type { GpuSource } from '../core/hardware/match';
import type { Detection, GpuSystem } from './detect';
import type { GpuDevice } from './device';
import { nodeLaunch } from './launch';
import { localLoad } from './localLoad';
import { machineOf, untapped } from './machine';
import type { Machine, MachineKind, Tap } from './machine';
import { ownersOf } from './owners';
import { presentTargets } from './present';
import { LinuxSleepWatch, neverAsleep } from './sleep';
import { nodeTimers } from './timers';
import { gpuTools } from './tools/registry';
import { MIB } from '../core/units';

const SECOND = 1000;

/** The GPUs of this machine, for single or repeated reading. */
interface OpenGpus {
  readonly detect: () => Promise<Detection>;
  readonly targets: (detection: Detection, gpus: GpuSource) => readonly Target[];
  readonly machine: (intervalMs: number) => Machine;
}

/** `executables` are from the user's settings, by tool id. Nothing starts before the first query. */
export function openGpus(executables: Readonly<Record<string, string>>, tap: Tap = untapped): OpenGpus {
  const machine = (intervalMs: number) => thisMachine(executables, intervalMs, tap);
  return { detect: () => machine(SECOND).detect(), targets: presentTargets, machine };
}

function thisMachine(executables: Readonly<Record<string, string>>, intervalMs: number, tap: Tap): Machine {
  const { platform, env: variables } = process;
  const isLinux = platform === 'linux';
  const system: GpuSystem = {
    platform,
    variables,
    launch: nodeLaunch,
    timers: nodeTimers,
    tools: gpuTools,
    executables,
    adapters: async () => (await import('./adapters')).systemAdapters(),
  };
  const kind: MachineKind = {
    system,
    intervalMs,
    owners: ownersOf(platform),
    load: localLoad(),
    sleepOf: source => (isLinux ? new LinuxSleepWatch(source.tool.vendor) : neverAsleep),
    // Other systems do not tell whether a laptop's GPU could sleep, which a running loop would prevent.
    mayStream: isLinux,
  };
  const machine = machineOf(tap(kind));
  const detect = async () => {
    const found = await machine.detect();
    const hostMiB = Math.floor(totalmem() / MIB);
    return { ...found, hostMiB, devices: found.devices.map(device => withSharedMemory(device, hostMiB)) };
  };
  return { ...machine, detect };
}

/** A GPU that shares the machine's memory can use all of it. */
function withSharedMemory(device: GpuDevice, hostMiB: number): GpuDevice {
  const { memoryKind, memoryTotalMiB } = device;
  return memoryKind === 'unified' && memoryTotalMiB === null
    ? { ...device, memoryTotalMiB: hostMiB }
    : device;
}

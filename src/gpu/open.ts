import { totalmem } from 'node:os';
import type { Target } from '../core/hardware/gpu';
import type { GpuSource } from '../core/ports';
import type { Source } from './ask';
import { detectGpus } from './detect';
import type { Detection, GpuSystem } from './detect';
import { nodeLaunch } from './launch';
import { presentTargets } from './present';
import { Sampler } from './sampler';
import { LinuxSleepWatch, neverAsleep } from './sleep';
import { nodeTimers } from './timers';
import { gpuTools } from './tools/registry';

const MIB = 2 ** 20;

/** The GPUs of this machine, for a program that stays. */
export interface OpenGpus {
  readonly detect: () => Promise<Detection>;
  readonly targets: (detection: Detection, gpus: GpuSource) => readonly Target[];
  readonly sampler: (source: Source, intervalMs: number) => Sampler;
}

/** `executables` are those the user has set, by tool id. Nothing starts before something is asked. */
export function openGpus(executables: Readonly<Record<string, string>>): OpenGpus {
  const { platform, env: variables } = process;
  const system: GpuSystem = {
    platform,
    variables,
    launch: nodeLaunch,
    timers: nodeTimers,
    tools: gpuTools,
    executables,
    adapters: async () => (await import('./adapters')).systemAdapters(),
  };
  const isLinux = platform === 'linux';
  return {
    detect: async () => ({ ...(await detectGpus(system)), hostMiB: Math.floor(totalmem() / MIB) }),
    targets: presentTargets,
    sampler: (source, intervalMs) => {
      const sleep = isLinux ? new LinuxSleepWatch(source.tool.vendor) : neverAsleep;
      const { launch, timers } = system;
      // Elsewhere nothing tells whether a laptop's GPU could sleep, which a running loop would keep it from.
      return new Sampler(source, { intervalMs, launch, timers, sleep, mayStream: isLinux });
    },
  };
}

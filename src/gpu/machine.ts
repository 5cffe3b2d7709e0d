import type { Source } from './ask';
import type { GpuSystem } from './detect';
import { nodeLaunch } from './launch';
import { Sampler } from './sampler';
import { LinuxSleepWatch, neverAsleep } from './sleep';
import { nodeTimers } from './timers';
import { gpuTools } from './tools/registry';

/** This machine. `executables`: paths that the user set, by tool id. */
export function thisMachine(
  variables: GpuSystem['variables'],
  executables: GpuSystem['executables'] = {},
): GpuSystem {
  return {
    platform: process.platform,
    variables,
    executables,
    launch: nodeLaunch,
    timers: nodeTimers,
    tools: gpuTools,
    adapters: async () => (await import('./adapters')).systemAdapters(),
  };
}

/**
 * Samples of the GPUs that a source shows. The tool's own loop is used on Linux alone: elsewhere it was seen to stop
 * giving rows, and a laptop's GPU could not sleep.
 */
export function samplerOf(source: Source, system: GpuSystem, intervalMs: number): Sampler {
  const isLinux = system.platform === 'linux';
  return new Sampler(source, {
    intervalMs,
    launch: system.launch,
    timers: system.timers,
    sleep: isLinux ? new LinuxSleepWatch(source.tool.vendor) : neverAsleep,
    mayStream: isLinux,
  });
}

import { totalmem } from 'node:os';
import type { Target } from '../core/hardware/gpu';
import type { GpuSource } from '../core/ports';
import type { Source } from './ask';
import { detectGpus } from './detect';
import type { Detection, GpuSystem } from './detect';
import { nodeLaunch } from './launch';
import { ownersOf, withOwners } from './owners';
import type { Owners } from './owners';
import { presentTargets } from './present';
import { readProcesses } from './processes';
import type { ProcessReading } from './processes';
import { ToolRunner } from './runner';
import { Sampler } from './sampler';
import type { Sampling } from './sampler';
import { Samplers } from './samplers';
import { LinuxSleepWatch, neverAsleep } from './sleep';
import { nodeTimers } from './timers';
import { gpuTools } from './tools/registry';

const MIB = 2 ** 20;

/** The GPUs of this machine, for a program that stays. */
export interface OpenGpus {
  readonly detect: () => Promise<Detection>;
  readonly targets: (detection: Detection, gpus: GpuSource) => readonly Target[];
  readonly sampler: (source: Source, intervalMs: number) => Sampler;
  /** All tools that showed devices, read as one; null when there is none. */
  readonly sampling: (detection: Detection, intervalMs: number) => Sampling | null;
  /** Who is on the GPUs now, with owners where the system tells them; null when no tool can say. */
  readonly processes: (detection: Detection) => Promise<ProcessReading | null>;
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
  const owners = ownersOf(platform);
  const sampler = (source: Source, intervalMs: number) => samplerOf(system, source, intervalMs);
  return {
    detect: async () => {
      const found = await detectGpus(system);
      const processes = found.processes && (await withOwners(found.processes, owners));
      return { ...found, processes, hostMiB: Math.floor(totalmem() / MIB) };
    },
    targets: presentTargets,
    sampler,
    sampling: ({ sources = [] }, intervalMs) => {
      const parts = sources.map(source => sampler(source, intervalMs));
      return parts.length > 1 ? new Samplers(parts) : (parts[0] ?? null);
    },
    processes: detection => processesNow(system, detection, owners),
  };
}

function samplerOf({ launch, timers, platform }: GpuSystem, source: Source, intervalMs: number): Sampler {
  const isLinux = platform === 'linux';
  const sleep = isLinux ? new LinuxSleepWatch(source.tool.vendor) : neverAsleep;
  // Elsewhere nothing tells whether a laptop's GPU could sleep, which a running loop would keep it from.
  return new Sampler(source, { intervalMs, launch, timers, sleep, mayStream: isLinux });
}

async function processesNow(
  { launch, timers }: GpuSystem,
  { sources = [], devices }: Detection,
  owners: Owners,
): Promise<ProcessReading | null> {
  const readings = await Promise.all(
    sources.map(source =>
      readProcesses(
        new ToolRunner(source.executable, launch, timers),
        source,
        devices.filter(({ vendor }) => source.tool.vendor === vendor || source.tool.vendor === 'unknown'),
        timers,
      ),
    ),
  );
  const known = readings.filter(reading => reading !== null);
  if (known.length === 0) return null;
  const processes = await withOwners(
    known.flatMap(reading => reading.processes),
    owners,
  );
  return { processes, samples: known.flatMap(reading => reading.samples) };
}

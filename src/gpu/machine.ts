import { detectGpus } from './detect';
import type { Detection, GpuSystem } from './detect';
import type { Source } from './ask';
import type { GpuDevice } from './device';
import type { MachineLoad } from './fleet';
import { withOwners } from './owners';
import type { Owners } from './owners';
import { readProcesses } from './processes';
import type { ProcessReading } from './processes';
import { ToolRunner } from './runner';
import { Sampler } from './sampler';
import type { Sampling } from './sampler';
import { Samplers } from './samplers';
import type { SleepWatch } from './sleep';
import type { Timers } from './timers';

/** A machine whose GPUs can be read, this one or another. */
export interface Machine {
  readonly timers: Timers;
  readonly intervalMs: number;
  detect(): Promise<Detection>;
  /** All tools that reported devices, sampled as one; null if there is none. */
  sampling(detection: Detection): Sampling | null;
  /** The processes on the GPUs, with owners if known; null if no tool can report them. */
  processes(detection: Detection): Promise<ProcessReading | null>;
  /** CPU and memory of the machine; null if unknown. */
  load(): Promise<MachineLoad | null>;
}

/** The differences between machines. */
export interface MachineKind {
  readonly system: GpuSystem;
  readonly intervalMs: number;
  readonly owners: Owners;
  readonly load: () => Promise<MachineLoad | null>;
  readonly sleepOf: (source: Source) => SleepWatch;
  /** Whether the tools' own loops may be used, which needs one process for all ticks. */
  readonly mayStream: boolean;
}

/** Wraps a machine to record its queries. */
export type Tap = (kind: MachineKind) => MachineKind;

export const untapped: Tap = kind => kind;

/** A machine whose tools are started through its system's `launch`. */
export function machineOf(kind: MachineKind): Machine {
  const { system, intervalMs, owners, load } = kind;
  const runners = new Map<string, ToolRunner>();
  const runner = (source: Source) => {
    const { executable } = source;
    // A hanging tool is not started a second time: its runner stays busy.
    const kept = runners.get(executable) ?? new ToolRunner(executable, system.launch, system.timers);
    runners.set(executable, kept);
    return kept;
  };
  return {
    timers: system.timers,
    intervalMs,
    load,
    detect: async () => {
      const found = await detectGpus(system);
      return { ...found, processes: found.processes && (await withOwners(found.processes, owners)) };
    },
    sampling: ({ sources = [] }) => {
      const parts = sources.map(source => samplerOf(kind, source));
      return parts.length > 1 ? new Samplers(parts) : (parts[0] ?? null);
    },
    processes: ({ sources = [], devices }) =>
      processesNow(
        sources.map(source => readProcesses(runner(source), source, seenBy(source, devices), system.timers)),
        owners,
      ),
  };
}

function samplerOf({ system, intervalMs, sleepOf, mayStream }: MachineKind, source: Source): Sampler {
  const { launch, timers } = system;
  return new Sampler(source, { intervalMs, launch, timers, sleep: sleepOf(source), mayStream });
}

const seenBy = ({ tool }: Source, devices: readonly GpuDevice[]): readonly GpuDevice[] =>
  devices.filter(({ vendor }) => tool.vendor === vendor || tool.vendor === 'unknown');

async function processesNow(
  readings: readonly Promise<ProcessReading | null>[],
  owners: Owners,
): Promise<ProcessReading | null> {
  const known = (await Promise.all(readings)).filter(reading => reading !== null);
  if (known.length === 0) return null;
  const processes = await withOwners(
    known.flatMap(reading => reading.processes),
    owners,
  );
  return { processes, samples: known.flatMap(reading => reading.samples) };
}

import type { Adapter } from './adapters';
import { ask, FIRST_TIMEOUT_MS, readOnce } from './ask';
import type { Source } from './ask';
import type { GpuDevice } from './device';
import type { Launch } from './launch';
import { ToolRunner } from './runner';
import type { GpuProcess, GpuSample } from './sample';
import type { Timers } from './timers';
import type { GpuTool, ToolError } from './tool';

/** The machine, as far as finding its GPUs needs it. */
export interface GpuSystem {
  readonly platform: NodeJS.Platform;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly launch: Launch;
  readonly timers: Timers;
  readonly tools: readonly GpuTool[];
  /** Executables that the user set, by tool id; they are tried alone. */
  readonly executables: Readonly<Record<string, string>>;
  /** Names of graphics adapters from the operating system; asked when no tool is there. */
  readonly adapters: () => Promise<readonly Adapter[]>;
}

/** The GPUs of this machine, or why there are none to be seen. */
export interface Detection {
  readonly devices: readonly GpuDevice[];
  readonly samples: readonly GpuSample[];
  /** Compute processes; null when they could not be asked for. */
  readonly processes: readonly GpuProcess[] | null;
  /** What to sample with; null when only names are known. */
  readonly source: Source | null;
  /** One for each tool that showed devices (NVIDIA beside an Intel iGPU); `source` is the first of them. */
  readonly sources?: readonly Source[];
  /** Why a tool that is there gave nothing; null when none is there or all is well. */
  readonly error: ToolError | null;
  readonly warnings: readonly string[];
  /** Memory of the machine itself; absent: not asked for. */
  readonly hostMiB?: number | null;
}

/** Asks each vendor's tool; the first that shows devices answers. Without any tool, the operating system's names. */
export async function detectGpus(system: GpuSystem): Promise<Detection> {
  let error: ToolError | null = null;
  for (const tool of system.tools) {
    const found = await detectWith(tool, system);
    if (found && found.devices.length > 0) return found;
    error ??= found?.error ?? null;
  }
  const nothing = { samples: [], processes: null, source: null, error, warnings: [] };
  if (error !== null) return { ...nothing, devices: [] };
  return { ...nothing, devices: (await system.adapters()).map(adapterDevice) };
}

/** Null when the tool is not installed. */
async function detectWith(tool: GpuTool, system: GpuSystem): Promise<Detection | null> {
  const set = system.executables[tool.id];
  const executables = set ? [set] : tool.executables(system.platform, system.variables);
  for (const executable of executables) {
    const runner = new ToolRunner(executable, system.launch, system.timers);
    const { reading, unknownFields } = await ask(runner, tool, [], system.timers, FIRST_TIMEOUT_MS);
    if (reading.error?.kind === 'command-not-found') continue;
    const source = { tool, executable, unknownFields, devices: reading.devices.length };
    if (reading.devices.length === 0) return { ...reading, processes: null, source };
    return {
      devices: await withDetails(reading.devices, runner, source, system.timers),
      samples: reading.samples,
      processes: await processesOf(runner, source, system.timers),
      source,
      error: reading.error,
      warnings: reading.warnings,
    };
  }
  return null;
}

async function withDetails(
  devices: readonly GpuDevice[],
  runner: ToolRunner,
  { tool }: Source,
  timers: Timers,
): Promise<readonly GpuDevice[]> {
  let detailed = devices;
  for (const args of tool.details(devices)) {
    detailed = tool.withDetails(detailed, await readOnce(runner, tool, args, timers, FIRST_TIMEOUT_MS));
  }
  return detailed;
}

async function processesOf(
  runner: ToolRunner,
  { tool }: Source,
  timers: Timers,
): Promise<readonly GpuProcess[] | null> {
  const args = tool.processes();
  if (args === null) return null;
  const reading = await readOnce(runner, tool, args, timers, FIRST_TIMEOUT_MS);
  return reading.error === null ? reading.processes : null;
}

function adapterDevice({ name, vendor, sharedMemoryMiB }: Adapter, index: number): GpuDevice {
  return {
    key: `${vendor}:${index}`,
    vendor,
    index,
    uuid: null,
    pciBusId: null,
    name,
    memoryTotalMiB: sharedMemoryMiB,
    memoryKind: sharedMemoryMiB === null ? 'unknown' : 'unified',
    driverVersion: null,
    driverModel: null,
    virtualization: null,
    mig: null,
  };
}

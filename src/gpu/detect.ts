import type { Adapter } from './adapters';
import { ask, FIRST_TIMEOUT_MS, readOnce } from './ask';
import type { Source } from './ask';
import { samePciBusId, unknownDevice } from './device';
import type { GpuDevice } from './device';
import type { Launch } from './launch';
import { readProcesses } from './processes';
import { keysOf, rekeyed } from './rekey';
import { ToolRunner } from './runner';
import type { GpuProcess, GpuSample } from './sample';
import { isVirtual } from './system/windows';
import type { Timers } from './timers';
import type { GpuTool, ToolError, ToolErrorKind, ToolReading } from './tool';

/** The parts of the machine that GPU detection needs. */
export interface GpuSystem {
  readonly platform: NodeJS.Platform;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly launch: Launch;
  readonly timers: Timers;
  readonly tools: readonly GpuTool[];
  /** Executables from the user's settings, by tool id; no others are tried for these tools. */
  readonly executables: Readonly<Record<string, string>>;
  /** Names of graphics adapters from the operating system; used if no tool is installed. */
  readonly adapters: () => Promise<readonly Adapter[]>;
}

/** The GPUs of this machine, or why none are visible. */
export interface Detection {
  readonly devices: readonly GpuDevice[];
  readonly samples: readonly GpuSample[];
  /** Compute processes; null if unknown. */
  readonly processes: readonly GpuProcess[] | null;
  /** The source for sampling; null if only names are known. */
  readonly source: Source | null;
  /** One for each tool that reported devices (NVIDIA in addition to an Intel iGPU); `source` is the first. */
  readonly sources?: readonly Source[];
  /** Why an installed tool reported nothing; null if none is installed or all is well. */
  readonly error: ToolError | null;
  readonly warnings: readonly string[];
  /** Host RAM; absent: not read. */
  readonly hostMiB?: number | null;
}

/** The result of one tool, and its source. */
interface Found extends Detection {
  readonly source: Source;
}

/** Of several tools that see the same GPUs, the lowest rank is queried first. */
const MIDDLE_RANK = 50;

/** Not worth reporting next to GPUs of another vendor: the tool is installed, but has nothing to report. */
const QUIET = new Set<ToolErrorKind>([
  'no-devices',
  'not-supported',
  'insufficient-permissions',
  'device-not-found',
]);

/** If an installed tool lacks permission or support, the operating system's names are still useful. */
const NAMES_HELP = new Set<ToolErrorKind>(['not-supported', 'insufficient-permissions']);

/**
 * Queries the tools of all vendors concurrently, those of one vendor in turn until one reports devices. If none
 * does, falls back to tools that know all vendors a little, then to the operating system's names.
 */
export async function detectGpus(system: GpuSystem): Promise<Detection> {
  const tools = [...system.tools].sort((a, b) => (a.rank ?? MIDDLE_RANK) - (b.rank ?? MIDDLE_RANK));
  const vendors = [...new Set(tools.map(tool => tool.vendor))];
  const found = await Promise.all(
    vendors.map(vendor =>
      detectWithAll(
        tools.filter(tool => tool.vendor === vendor && !tool.isFallback),
        system,
      ),
    ),
  ).then(groups => groups.flat());
  if (found.some(hasDevices)) return together(found);
  for (const tool of tools.filter(one => one.isFallback)) {
    const more = await detectWith(tool, system);
    const real = more && { ...more, devices: more.devices.filter(({ name }) => !isVirtual(name)) };
    if (real && hasDevices(real)) return together([...found, real]);
  }
  const error = found.find(one => one.error !== null)?.error ?? null;
  const nothing = { samples: [], processes: null, source: null, sources: [], error, warnings: [] };
  if (error !== null && !NAMES_HELP.has(error.kind)) return { ...nothing, devices: [] };
  const devices = (await system.adapters()).map(adapterDevice);
  return { ...nothing, devices, error: devices.length > 0 ? null : error };
}

const hasDevices = (found: Detection): boolean => found.devices.length > 0;

/** One vendor's tools, until one reports all of its GPUs. */
async function detectWithAll(tools: readonly GpuTool[], system: GpuSystem): Promise<readonly Found[]> {
  const all: Found[] = [];
  for (const tool of tools) {
    const found = await detectWith(tool, system);
    if (!found) continue;
    all.push(found);
    if (hasDevices(found) && !tool.isPartial) break;
  }
  return all;
}

/** Merges the results, each device once, with cards before chips that share system memory. */
function together(all: readonly Found[]): Detection {
  const shown = distinct(all.filter(hasDevices));
  const sources = shown.sort((a, b) => kindRank(a) - kindRank(b));
  const errors = all.flatMap(({ error, devices }) =>
    error !== null && (devices.length > 0 || !QUIET.has(error.kind)) ? [error] : [],
  );
  const processes = sources.flatMap(one => one.processes ?? []);
  return {
    devices: sources.flatMap(one => one.devices),
    samples: sources.flatMap(one => one.samples),
    processes: sources.some(one => one.processes !== null) ? processes : null,
    source: sources[0]?.source ?? null,
    sources: sources.map(one => one.source),
    error: errors[0] ?? null,
    warnings: all.flatMap(one => one.warnings),
  };
}

const kindRank = ({ devices }: Found): number =>
  devices.some(({ memoryKind }) => memoryKind !== 'unified') ? 0 : 1;

/** Removes devices that an earlier tool already reported: same vendor and same kind. */
function distinct(all: readonly Found[]): Found[] {
  const kept: Found[] = [];
  for (const found of all) {
    const before = kept.flatMap(one => one.devices);
    const doubles = found.devices.filter(device => before.some(other => isSame(device, other)));
    const hidden = new Set(doubles.map(({ key }) => key));
    const devices = found.devices.filter(({ key }) => !hidden.has(key));
    const samples = found.samples.filter(({ key }) => !hidden.has(key));
    const source = hidden.size === 0 ? found.source : { ...found.source, hidden: [...hidden] };
    if (devices.length > 0) kept.push({ ...found, devices, samples, source });
  }
  return kept;
}

function isSame(a: GpuDevice, b: GpuDevice): boolean {
  if (a.pciBusId !== null && b.pciBusId !== null) return samePciBusId(a.pciBusId, b.pciBusId);
  const isKind = a.memoryKind === b.memoryKind || a.memoryKind === 'unknown' || b.memoryKind === 'unknown';
  return a.vendor === b.vendor && isKind;
}

/** Null if the tool is not installed. */
async function detectWith(tool: GpuTool, system: GpuSystem): Promise<Found | null> {
  const set = system.executables[tool.id];
  const executables = set ? [set] : tool.executables(system.platform, system.variables);
  for (const executable of executables) {
    const runner = new ToolRunner(executable, system.launch, system.timers);
    const { reading, unknownFields } = await ask(runner, tool, [], system.timers, FIRST_TIMEOUT_MS);
    if (reading.error?.kind === 'command-not-found') continue;
    const source = { tool, executable, unknownFields, devices: reading.devices.length };
    if (reading.devices.length === 0) return { ...reading, processes: null, source };
    return detailed(reading, runner, source, system.timers);
  }
  return null;
}

/** A tool's result, completed by its detail queries. */
async function detailed(
  reading: ToolReading,
  runner: ToolRunner,
  source: Source,
  timers: Timers,
): Promise<Found> {
  const devices = await withDetails(reading.devices, runner, source, timers);
  const keys = keysOf(reading.devices, devices);
  const known = keys === undefined ? source : { ...source, keys };
  const owned = await readProcesses(runner, known, devices, timers);
  return {
    devices,
    samples: rekeyed(known, reading.samples),
    processes: owned?.processes ?? null,
    source: known,
    error: reading.error,
    warnings: reading.warnings,
  };
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

/** A device of which only the operating system's name is known. */
export function adapterDevice(
  { name, vendor, pciBusId, sharedMemoryMiB }: Adapter,
  index: number,
): GpuDevice {
  return unknownDevice({
    key: `${vendor}:${index}`,
    vendor,
    index,
    pciBusId: pciBusId ?? null,
    name,
    memoryTotalMiB: sharedMemoryMiB,
    memoryKind: sharedMemoryMiB === null ? 'unknown' : 'unified',
  });
}

import { lines, table } from '../../core/text/terminal';
import type { TerminalText } from '../../core/text/terminal';
import { formatBytes, MIB } from '../../core/units';
import type { GpuDevice } from '../../gpu/device';
import type { Capacity, HostReading } from '../../gpu/fleet';
import { troubleOf } from '../../gpu/sample';
import type { GpuProcess, GpuSample } from '../../gpu/sample';
import { typeName } from '../../gpu/slurm/partitions';

/** A host and all that is known of it, for a terminal. Values that a tool does not report are n/a. */
export function hostText(reading: HostReading): TerminalText {
  const { devices, capacities, processes, status } = reading;
  const parts = [
    headOf(reading),
    devices.length === 0 ? '' : deviceTable(reading),
    capacities.length === 0 ? '' : capacityTable(capacities, reading.host.kind),
    processes === null || processes.length === 0 ? '' : processTable(processes, devices),
    ...troubles(reading),
    ...(status.message === null ? [] : [status.message]),
    ...(status.todo === null || status.state === 'live' ? [] : [`→ ${status.todo}`]),
    ...(status.text === null ? [] : [`  ${status.text}`]),
  ];
  return lines(parts.filter(part => part !== ''));
}

/** `gpu-box · live · nvidia-smi stream · 32 ms`. */
function headOf({ host, status }: HostReading): string {
  const latency = status.latencyMs === null ? null : `${Math.round(status.latencyMs)} ms`;
  return [host.name, status.state, status.collector, latency].filter(part => part !== null).join(' · ');
}

function deviceTable({ devices, samples }: HostReading): TerminalText {
  const isCluster = devices.some(({ node }) => node !== undefined);
  const byKey = new Map(samples.map(sample => [sample.key, sample]));
  const rows = devices.map(device => [
    ...(isCluster ? [device.node ?? 'n/a'] : []),
    ...deviceCells(device, byKey.get(device.key)),
  ]);
  const head = ['GPU', 'name', 'memory', 'busy', 'temperature', 'power'];
  return table([isCluster ? ['node', ...head] : head, ...rows]);
}

/** `GPU 3: it needs a reset …`. */
function troubles({ devices, samples }: HostReading): readonly string[] {
  return samples.flatMap(sample => {
    const trouble = troubleOf(sample);
    const index = devices.find(({ key }) => key === sample.key)?.index;
    return trouble === null || index === undefined ? [] : [`GPU ${index}: ${trouble}`];
  });
}

/** Index, name, memory, utilization, temperature, power. */
export function deviceCells(device: GpuDevice, sample: GpuSample | undefined): readonly string[] {
  return [
    String(device.index),
    device.name ?? 'n/a',
    `${memory(sample?.memoryUsedMiB ?? null)} of ${memory(device.memoryTotalMiB)}${shared(device)}`,
    withUnit(sample?.utilPct ?? null, '%'),
    withUnit(sample?.tempC ?? null, '°C'),
    withUnit(sample?.powerW ?? null, 'W'),
  ];
}

function capacityTable(capacities: readonly Capacity[], kind: HostReading['host']['kind']): TerminalText {
  const rows = capacities.map(one => [
    one.place,
    one.gpu === null ? 'any' : typeName(one.gpu),
    one.gpusFree === null ? 'n/a' : String(one.gpusFree),
    String(one.gpusTotal),
    ...(kind === 'slurm' ? [String(one.nodes), mostOnANode(one)] : []),
    noteOf(one),
  ]);
  const place = kind === 'slurm' ? 'partition' : 'node';
  const nodes = kind === 'slurm' ? ['nodes', 'most free on one'] : [];
  return table([[place, 'GPU', 'free', 'of', ...nodes, 'note'], ...rows]);
}

const MOST_HOLDERS = 4;

/** The scheduler's note, and who holds GPUs. */
function noteOf({ note, holders = [] }: Capacity): string {
  const named = holders
    .slice(0, MOST_HOLDERS)
    .map(({ name, gpus, memoryMiB }) => `${name} (${gpus ?? memory(memoryMiB ?? null)})`);
  const rest = holders.length - named.length;
  const held = named.length === 0 ? '' : `held by ${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
  return [note ?? '', held].filter(text => text !== '').join('; ');
}

function mostOnANode({ members = [] }: Capacity): string {
  const free = members.map(({ gpusFree }) => gpusFree);
  return free.length === 0 || free.includes(null)
    ? 'n/a'
    : String(Math.max(...free.map(count => count ?? 0)));
}

/** The processes that hold memory, most memory first. */
function processTable(processes: readonly GpuProcess[], devices: readonly GpuDevice[]): TerminalText {
  const rows = [...processes]
    .sort((a, b) => (b.memoryUsedMiB ?? 0) - (a.memoryUsedMiB ?? 0))
    .map(process => [
      gpuOf(process, devices),
      memory(process.memoryUsedMiB),
      String(process.pid ?? 'n/a'),
      process.user ?? 'n/a',
      process.command ?? process.name ?? 'n/a',
    ]);
  return table([['on GPU', 'holds', 'process', 'user', 'program'], ...rows]);
}

function gpuOf({ deviceKey, gpuIndex, gpuIndices }: GpuProcess, devices: readonly GpuDevice[]): string {
  const device = devices.find(({ key }) => key === deviceKey);
  const index = device?.index ?? gpuIndex;
  return gpuIndices ? gpuIndices.join(', ') : index === null ? 'n/a' : String(index);
}

const memory = (mib: number | null): string => (mib === null ? 'n/a' : formatBytes(mib * MIB));

const shared = (device: GpuDevice): string =>
  device.memoryKind === 'unified' ? ' (shared with the system)' : '';

const withUnit = (value: number | null, unit: string): string =>
  value === null ? 'n/a' : `${Math.round(value)} ${unit}`;

/**
 * Hosts as one document. Devices and samples are flat lists over all hosts, each entry with its host's id,
 * compatible with the schema of a single host.
 */
export function gpusDocument(readings: readonly HostReading[]): object {
  return {
    schema: 'headroom/1',
    hosts: readings.map(({ host, status, processes, machine, capacities }) => ({
      ...host,
      status,
      machine,
      processes,
      capacities,
    })),
    devices: readings.flatMap(({ host, devices }) => devices.map(device => ({ host: host.id, ...device }))),
    samples: readings.flatMap(({ host, samples }) => samples.map(sample => ({ host: host.id, ...sample }))),
  };
}

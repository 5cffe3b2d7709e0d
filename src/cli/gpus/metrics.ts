import { lines } from '../../core/text/terminal';
import type { TerminalText } from '../../core/text/terminal';
import { visible } from '../../core/text/visible';
import { MIB } from '../../core/units';
import type { GpuDevice } from '../../gpu/device';
import type { Capacity, HostReading } from '../../gpu/fleet';
import type { GpuSample, Measure } from '../../gpu/sample';

/** Labels of one value; a label without a value is left out. */
type Labels = Readonly<Record<string, string | number | null | undefined>>;

interface Value {
  readonly labels: Labels;
  readonly value: number | null;
}

interface Family {
  readonly name: string;
  readonly help: string;
  readonly values: readonly Value[];
}

/** Base units and their names as Prometheus asks for them: bytes, ratios, hertz, celsius, watts. */
const MEASURED: readonly (readonly [name: string, measure: Measure, factor: number, help: string])[] = [
  ['memory_used_bytes', 'memoryUsedMiB', MIB, 'Memory in use, without what the driver reserves.'],
  ['memory_free_bytes', 'memoryFreeMiB', MIB, 'Free memory.'],
  ['memory_reserved_bytes', 'memoryReservedMiB', MIB, 'Memory that the driver reserves.'],
  ['utilization_ratio', 'utilPct', 0.01, 'Share of time in which the GPU was busy.'],
  ['memory_busy_ratio', 'memBusyPct', 0.01, 'Share of time in which memory was accessed.'],
  ['temperature_celsius', 'tempC', 1, 'Temperature of the GPU.'],
  ['hotspot_temperature_celsius', 'tempHotspotC', 1, 'Temperature of the hottest spot.'],
  ['memory_temperature_celsius', 'tempMemC', 1, 'Temperature of the memory.'],
  ['power_watts', 'powerW', 1, 'Power draw.'],
  ['power_limit_watts', 'powerLimitW', 1, 'Power limit.'],
  ['fan_speed_ratio', 'fanPct', 0.01, 'Fan speed as a share of its maximum.'],
  ['fan_speed_rpm', 'fanRpm', 1, 'Fan speed in rotations per minute.'],
  ['sm_clock_hertz', 'clockSmMHz', 1e6, 'Clock of the cores.'],
  ['memory_clock_hertz', 'clockMemMHz', 1e6, 'Clock of the memory.'],
];

interface Seen {
  readonly reading: HostReading;
  readonly device: GpuDevice;
  /** Null: no current values. */
  readonly sample: GpuSample | null;
}

/**
 * All that is read of hosts in Prometheus's text format, version 0.0.4. What is unknown or old has no value, so that
 * a gap stays a gap.
 */
export function metricsText(readings: readonly HostReading[]): TerminalText {
  const seen = readings.flatMap(reading => reading.devices.map(device => seenOf(reading, device)));
  const families = [
    ...hostFamilies(readings),
    infoOf(seen),
    totalOf(seen),
    ...MEASURED.map(([name, measure, factor, help]) => measured(seen, name, measure, factor, help)),
    faultsOf(seen),
    processesOf(readings),
    ...migFamilies(seen),
    ...capacityFamilies(readings),
  ];
  return lines(families.filter(({ values }) => values.some(isKnown)).flatMap(linesOf));
}

function seenOf(reading: HostReading, device: GpuDevice): Seen {
  const sample = reading.samples.find(({ key }) => key === device.key) ?? null;
  return { reading, device, sample: reading.status.state === 'live' ? sample : null };
}

const hostFamilies = (readings: readonly HostReading[]): readonly Family[] => [
  {
    name: 'headroom_host_up',
    help: 'Whether the host reports its GPUs now.',
    values: readings.map(({ host, status }) => ({
      labels: { host: host.id, kind: host.kind, state: status.state },
      value: status.state === 'live' || status.state === 'no-gpu' ? 1 : 0,
    })),
  },
];

/** What tells one GPU from another; its other facts are in `headroom_gpu_info`, to be joined. */
const gpuLabels = ({ reading: { host }, device: { node, index, uuid } }: Seen): Labels => ({
  host: host.id,
  node,
  gpu: index,
  uuid,
});

function infoOf(seen: readonly Seen[]): Family {
  const values = seen.map(one => {
    const { device } = one;
    const { name, vendor, driverVersion, pciBusId } = device;
    const more = { name, vendor, driver_version: driverVersion, pci_bus_id: pciBusId };
    return { labels: { ...gpuLabels(one), ...more }, value: 1 };
  });
  return { name: 'headroom_gpu_info', help: 'Facts of a GPU that do not change, as labels.', values };
}

const totalOf = (seen: readonly Seen[]): Family => ({
  name: 'headroom_gpu_memory_total_bytes',
  help: 'Memory of the GPU.',
  values: seen.map(one => ({ labels: gpuLabels(one), value: scaled(one.device.memoryTotalMiB, MIB) })),
});

function measured(
  seen: readonly Seen[],
  name: string,
  measure: Measure,
  factor: number,
  help: string,
): Family {
  const values = seen.map(one => ({
    labels: gpuLabels(one),
    value: scaled(one.sample?.[measure] ?? null, factor),
  }));
  return { name: `headroom_gpu_${name}`, help, values };
}

/** A driver that reports a fault does so instead of values. */
const faultsOf = (seen: readonly Seen[]): Family => ({
  name: 'headroom_gpu_fault',
  help: 'A fault that the driver reports: the GPU is lost, or needs a reset.',
  values: seen.flatMap(one =>
    one.sample?.state === undefined
      ? []
      : [{ labels: { ...gpuLabels(one), fault: one.sample.state }, value: 1 }],
  ),
});

const processesOf = (readings: readonly HostReading[]): Family => ({
  name: 'headroom_gpu_processes',
  help: 'Processes on the GPUs of the host.',
  values: readings.map(({ host, status, processes }) => ({
    labels: { host: host.id },
    value: status.state === 'live' && processes !== null ? processes.length : null,
  })),
});

function migFamilies(seen: readonly Seen[]): readonly Family[] {
  const instances = seen.flatMap(one =>
    (one.device.mig?.instances ?? []).map(instance => {
      const { profile, gpuInstanceId, computeInstanceId, uuid } = instance;
      const ids = { gpu_instance: gpuInstanceId, compute_instance: computeInstanceId, mig_uuid: uuid };
      const sample = one.sample?.mig?.find(
        mig => mig.gpuInstanceId === gpuInstanceId && mig.computeInstanceId === computeInstanceId,
      );
      const isCurrent = one.sample !== null;
      return { instance, sample, isCurrent, labels: { ...gpuLabels(one), profile, ...ids } };
    }),
  );
  const total = instances.map(({ instance, labels }) => ({
    labels,
    value: scaled(instance.memoryTotalMiB, MIB),
  }));
  const used = instances.map(({ instance, sample, isCurrent, labels }) => ({
    labels,
    value: isCurrent ? scaled(sample?.memoryUsedMiB ?? instance.memoryUsedMiB, MIB) : null,
  }));
  return [
    { name: 'headroom_mig_memory_total_bytes', help: 'Memory of a MIG instance.', values: total },
    { name: 'headroom_mig_memory_used_bytes', help: 'Memory in use in a MIG instance.', values: used },
  ];
}

function capacityFamilies(readings: readonly HostReading[]): readonly Family[] {
  const all = readings
    .filter(({ status }) => status.state === 'live')
    .flatMap(({ host, capacities }) => capacities.map(capacity => ({ host, capacity })));
  const valuesOf = (amount: (capacity: Capacity) => number | null): readonly Value[] =>
    all.map(({ host, capacity }) => ({
      labels: { host: host.id, place: capacity.place, type: capacity.gpu },
      value: amount(capacity),
    }));
  return [
    {
      name: 'headroom_cluster_gpus',
      help: 'GPUs of a type in a partition or on a node.',
      values: valuesOf(({ gpusTotal }) => gpusTotal),
    },
    {
      name: 'headroom_cluster_gpus_free',
      help: 'GPUs that a job could get now.',
      values: valuesOf(({ gpusFree }) => gpusFree),
    },
  ];
}

/** Without the digits that a product of decimals adds (29 % is 0.29). */
const scaled = (value: number | null, factor: number): number | null =>
  value === null ? null : Number((value * factor).toPrecision(15));

const isKnown = ({ value }: Value): boolean => value !== null && Number.isFinite(value);

const linesOf = ({ name, help, values }: Family): readonly string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} gauge`,
  ...values.filter(isKnown).map(({ labels, value }) => `${name}${labelsText(labels)} ${value}`),
];

function labelsText(labels: Labels): string {
  const known = Object.entries(labels).flatMap(([label, value]) =>
    value === null || value === undefined ? [] : [`${label}="${escaped(String(value))}"`],
  );
  return `{${known.join(',')}}`;
}

const escaped = (text: string): string => visible(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"');

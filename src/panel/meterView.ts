import { formatCapacity, gigabytes } from '../core/render/units';
import type { GpuDevice } from '../gpu/device';
import type { HostReading, HostStatus } from '../gpu/fleet';
import type { GpuSample } from '../gpu/sample';

/** What the meter shows. */
export interface MeterView {
  readonly text: string;
  /** Markdown: all GPUs. */
  readonly tooltip: string;
  /** For screen readers: the same as the text, in words. */
  readonly label: string;
  readonly severity: 'none' | 'warning' | 'error';
}

const MIB = 2 ** 20;
const ICON = '$(circuit-board)';

/** A card this full has no room for what varies from step to step; one this hot slows itself down. */
const FULL_SHARE = 0.98;
const HOT_C = 90;

/** The busiest GPU in short and all of them in the tooltip. What was not read is `n/a`, never 0. */
export function meterView({
  devices,
  samples,
  status,
}: Pick<HostReading, 'devices' | 'samples' | 'status'>): MeterView {
  const rows = devices.map(device => ({
    device,
    sample: samples.find(one => one.key === device.key) ?? null,
  }));
  const tooltip = [...(rows.length > 0 ? [table(rows)] : []), ...troubles(status)].join('\n\n');
  if (status.state === 'asleep') {
    return { text: `${ICON} asleep`, tooltip, label: 'The GPU is asleep', severity: 'none' };
  }
  const busiest = rows.toSorted((a, b) => fullness(b) - fullness(a))[0];
  if (isFailing(status) || !busiest) return failing(status, tooltip);
  return {
    text: `${ICON} ${inShort(busiest)}`,
    tooltip,
    label: inWords(busiest),
    severity: isStrained(busiest) ? 'warning' : 'none',
  };
}

const FAILING: readonly HostStatus['state'][] = ['driver-error', 'stale', 'no-tool', 'no-gpu'];
const isFailing = ({ state }: HostStatus): boolean => FAILING.includes(state);

interface Row {
  readonly device: GpuDevice;
  readonly sample: GpuSample | null;
}

function failing(status: HostStatus, tooltip: string): MeterView {
  const lost = status.errorKind === 'gpu-lost';
  const label = status.message ?? 'GPU memory is not known';
  return { text: `${ICON} n/a`, tooltip, label, severity: lost ? 'error' : 'warning' };
}

/** Share of memory in use; unknown is least. */
function fullness({ device, sample }: Row): number {
  const used = sample?.memoryUsedMiB ?? null;
  return used === null || !device.memoryTotalMiB ? -1 : used / device.memoryTotalMiB;
}

const isStrained = (row: Row): boolean => fullness(row) >= FULL_SHARE || (row.sample?.tempC ?? 0) >= HOT_C;

function inShort({ device, sample }: Row): string {
  const temperature = sample?.tempC ?? null;
  return temperature === null ? memory(device, sample) : `${memory(device, sample)} · ${temperature} °C`;
}

function inWords(row: Row): string {
  const { device, sample } = row;
  const percent = sample?.utilPct ?? null;
  const busy = percent === null ? '' : `, ${percent} percent busy`;
  return `GPU ${device.index}, ${device.name ?? 'unnamed'}: ${inShort(row)}${busy}`;
}

/** `14.7 of 24 GB`; a part that was not read is `n/a`. */
function memory({ memoryTotalMiB }: GpuDevice, sample: GpuSample | null): string {
  const used = sample?.memoryUsedMiB ?? null;
  const of = memoryTotalMiB === null ? 'n/a' : formatCapacity(memoryTotalMiB * MIB);
  return used === null ? `n/a of ${of}` : `${gigabytes(used * MIB)} of ${of}`;
}

/** A tooltip is narrow, and everybody knows who makes a GeForce. */
const VENDOR = /^NVIDIA /;

/** Columns of a tooltip's table touch. */
const GAP = '&ensp;';

function table(rows: readonly Row[]): string {
  const names = ['GPU', 'name', 'memory', 'busy', 'temperature', 'power'].join(`${GAP} | `);
  const head = `| ${names} |\n| :-- | :-- | :-- | --: | --: | --: |`;
  const lines = rows.map(({ device, sample }) => {
    const cells = [
      String(device.index),
      plain((device.name ?? 'n/a').replace(VENDOR, '')),
      memory(device, sample).replaceAll(' ', '&nbsp;'),
      amount(sample?.utilPct ?? null, '%'),
      amount(sample?.tempC ?? null, '°C'),
      amount(sample?.powerW ?? null, 'W'),
    ];
    return `| ${cells.join(`${GAP} | `)} |`;
  });
  return [head, ...lines].join('\n');
}

const amount = (value: number | null, unit: string): string =>
  value === null ? 'n/a' : `${Math.round(value)}&nbsp;${unit}`;

/** Nothing of a name may become Markdown. */
const plain = (name: string): string => name.replace(/[\\`*_{}[\]()#+!|<>~]/g, '\\$&');

function troubles({ state, message }: HostStatus): string[] {
  if (state === 'asleep') return ['It is not woken to be asked.'];
  return message === null ? [] : [message];
}

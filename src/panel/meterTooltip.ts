import { formatBytes } from '../core/units';
import type { HostReading, HostStatus } from '../gpu/fleet';
import type { GpuProcess } from '../gpu/sample';
import { memoryText } from './meterFormat';
import type { MeterRow } from './meterFormat';
import { MIB } from '../core/units';

/** A tooltip is no panel. */
const MOST_GPUS = 16;
const MOST_PROCESSES = 3;

/** A tooltip is narrow, and everybody knows who makes a GeForce. */
const VENDOR = /^NVIDIA /;

/** Columns of a tooltip's table touch. */
const GAP = '&ensp;';

/** One machine: its GPUs, who holds their memory, and what is wrong. Markdown. */
export function hostPart(reading: HostReading, rows: readonly MeterRow[], isAlone: boolean): string[] {
  const { status, host } = reading;
  const title = isAlone ? [] : [`**${plain(host.name)}**${isOld(status) ? ` (${status.state})` : ''}`];
  const gpus = rows.length > 0 ? [table(rows.slice(0, MOST_GPUS))] : [];
  const more = rows.length - MOST_GPUS;
  return [
    ...title,
    ...gpus,
    ...(more > 0 ? [`… and ${more} more GPUs`] : []),
    ...holders(reading),
    ...troubles(status),
  ];
}

/** Nobody looks at it now, or nothing new has come. */
const isOld = ({ state }: HostStatus): boolean => state !== 'live' && state !== 'connecting';

function table(rows: readonly MeterRow[]): string {
  const names = ['GPU', 'name', 'memory', 'busy', 'temperature', 'power'].join(`${GAP} | `);
  const head = `| ${names} |\n| :-- | :-- | :-- | --: | --: | --: |`;
  const lines = rows.map(row => {
    const { device, sample } = row;
    const cells = [
      String(device.index),
      plain((device.name ?? 'n/a').replace(VENDOR, '')),
      memoryText(row).replaceAll(' ', '&nbsp;'),
      amount(sample?.utilPct ?? null, '%'),
      amount(sample?.tempC ?? null, '°C'),
      amount(sample?.powerW ?? null, 'W'),
    ];
    return `| ${cells.join(`${GAP} | `)} |`;
  });
  return [head, ...lines].join('\n');
}

/** `12.3 GB python train.py (ana, GPU 0)`, those with the most memory first. */
function holders({ processes, devices }: HostReading): string[] {
  const known = (processes ?? []).filter(({ memoryUsedMiB }) => (memoryUsedMiB ?? 0) > 0);
  const largest = known.toSorted((a, b) => (b.memoryUsedMiB ?? 0) - (a.memoryUsedMiB ?? 0));
  const lines = largest.slice(0, MOST_PROCESSES).map(process => {
    const index = indexOf(process, devices);
    const who = [process.user, index === null ? null : `GPU ${index}`].filter(said => said);
    const name = plain(shortened(process.name ?? process.command ?? `process ${process.pid}`));
    const size = formatBytes((process.memoryUsedMiB ?? 0) * MIB).replace(' ', '&nbsp;');
    return `- ${size} ${name}${who.length > 0 ? ` (${plain(who.join(', '))})` : ''}`;
  });
  const more = largest.length - lines.length;
  if (lines.length === 0) return [];
  return [[...lines, ...(more > 0 ? [`- … and ${more} more`] : [])].join('\n')];
}

function indexOf(process: GpuProcess, devices: HostReading['devices']): number | null {
  const { deviceKey, gpuUuid, gpuIndex } = process;
  const device = devices.find(({ key, uuid }) => key === deviceKey || (gpuUuid !== null && uuid === gpuUuid));
  return device?.index ?? gpuIndex;
}

const LONGEST_NAME = 48;

const shortened = (name: string): string => {
  const last = name.includes(' ') ? name : name.slice(name.lastIndexOf('/') + 1);
  return last.length > LONGEST_NAME ? `${last.slice(0, LONGEST_NAME - 1)}…` : last;
};

const amount = (value: number | null, unit: string): string =>
  value === null ? 'n/a' : `${Math.round(value)}&nbsp;${unit}`;

/** Nothing of a name may become Markdown. */
export const plain = (name: string): string => name.replace(/[\\`*_{}[\]()#+!|<>~]/g, '\\$&');

function troubles({ state, message, todo }: HostStatus): string[] {
  if (state === 'asleep') return ["Headroom doesn't wake it to read it."];
  return message === null
    ? []
    : [
        [message, todo]
          .filter(said => said !== null)
          .map(plain)
          .join(' '),
      ];
}

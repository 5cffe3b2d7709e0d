import { markdownTable } from 'markdown-table';
import { formatBytes, formatCapacity } from '../../core/units';
import type { DeviceCard, HostCard } from './protocol';
import { MIB } from '../../core/units';

const UNKNOWN = 'n/a';
const HEAD = ['Host', 'GPU', 'Name', 'Memory', 'Busy', 'Temperature', 'Power', 'Who'];

/** GPUs as a table that reads well as plain text and as Markdown, for a ticket or a chat. */
export function cardsAsText(hosts: readonly HostCard[]): string {
  const rows = hosts.flatMap(host => host.devices.map(device => rowOf(host, device)));
  const troubles = hosts
    .filter(({ status }) => status.state !== 'live')
    .map(
      ({ name, status }) => `${name}: ${status.state}${status.message === null ? '' : `. ${status.message}`}`,
    );
  const table = rows.length === 0 ? [] : [markdownTable([HEAD, ...rows.map(row => row.map(plain))])];
  return `${[...table, ...troubles].join('\n\n')}\n`;
}

function rowOf({ name: host }: HostCard, device: DeviceCard): readonly string[] {
  const { index, name, now } = device;
  return [
    host,
    String(index),
    name ?? UNKNOWN,
    memoryOf(device),
    amount(now?.utilPct ?? null, '%'),
    amount(now?.tempC ?? null, '°C'),
    amount(now?.powerW ?? null, 'W'),
    holdersText(device),
  ];
}

function memoryOf({ memoryTotalMiB, now }: DeviceCard): string {
  const used = now?.memoryUsedMiB ?? null;
  const of = memoryTotalMiB === null ? UNKNOWN : formatCapacity(memoryTotalMiB * MIB);
  return `${used === null ? UNKNOWN : formatBytes(used * MIB)} of ${of}`;
}

const amount = (value: number | null, unit: string): string =>
  value === null ? UNKNOWN : `${Math.round(value)} ${unit}`;

function holdersText({ processes }: DeviceCard): string {
  if (processes === null) return UNKNOWN;
  const names = processes.map(({ user, name, pid, memoryUsedMiB }) => {
    const held = memoryUsedMiB === null ? '' : ` ${formatBytes(memoryUsedMiB * MIB)}`;
    return `${user === null ? '' : `${user}: `}${name ?? 'process'} (${pid})${held}`;
  });
  return names.length === 0 ? 'nobody' : names.join(', ');
}

/** A name must not end a table cell. */
const plain = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

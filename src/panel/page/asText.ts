import { markdownTable } from 'markdown-table';
import { formatBytes, formatCapacity } from '../../core/units';
import type { DeviceCard, HostCard } from './protocol';
import { MIB } from '../../core/units';
import { english } from '../../core/text/say';
import type { Say } from '../../core/text/say';

const UNKNOWN = 'n/a';

const headOf = (say: Say): readonly string[] => [
  say('Host'),
  say('GPU'),
  say('Name'),
  say('Memory'),
  say('Busy'),
  say('Temperature'),
  say('Power'),
  say('Who'),
];

/** GPUs as a table that reads well as plain text and as Markdown, for a ticket or a chat. */
export function cardsAsText(hosts: readonly HostCard[], say: Say = english): string {
  const rows = hosts.flatMap(host => host.devices.map(device => rowOf(say, host, device)));
  const troubles = hosts
    .filter(({ status }) => status.state !== 'live')
    .map(
      ({ name, status }) => `${name}: ${status.state}${status.message === null ? '' : `. ${status.message}`}`,
    );
  const table = rows.length === 0 ? [] : [markdownTable([headOf(say), ...rows.map(row => row.map(plain))])];
  return `${[...table, ...troubles].join('\n\n')}\n`;
}

function rowOf(say: Say, { name: host }: HostCard, device: DeviceCard): readonly string[] {
  const { index, name, now } = device;
  return [
    host,
    String(index),
    name ?? UNKNOWN,
    memoryOf(say, device),
    amount(now?.utilPct ?? null, '%'),
    amount(now?.tempC ?? null, '°C'),
    amount(now?.powerW ?? null, 'W'),
    holdersText(say, device),
  ];
}

function memoryOf(say: Say, { memoryTotalMiB, now }: DeviceCard): string {
  const used = now?.memoryUsedMiB ?? null;
  const of = memoryTotalMiB === null ? UNKNOWN : formatCapacity(memoryTotalMiB * MIB);
  return say('{0} of {1}', used === null ? UNKNOWN : formatBytes(used * MIB), of);
}

const amount = (value: number | null, unit: string): string =>
  value === null ? UNKNOWN : `${Math.round(value)} ${unit}`;

function holdersText(say: Say, { processes }: DeviceCard): string {
  if (processes === null) return UNKNOWN;
  const names = processes.map(({ user, name, pid, memoryUsedMiB }) => {
    const held = memoryUsedMiB === null ? '' : ` ${formatBytes(memoryUsedMiB * MIB)}`;
    return `${user === null ? '' : `${user}: `}${name ?? say('process')} (${pid})${held}`;
  });
  return names.length === 0 ? say('none') : names.join(', ');
}

/** A name must not end a table cell. */
const plain = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

import { formatBytes } from '../core/units';
import { mdText, mdJoined } from '../core/text/markdown';
import type { Markdown } from '../core/text/markdown';
import type { HostReading, HostStatus } from '../gpu/fleet';
import type { GpuProcess } from '../gpu/sample';
import { memoryText } from './meterFormat';
import type { MeterRow } from './meterFormat';
import { MIB } from '../core/units';
import { commas } from '../core/text/lists';
import type { Say } from '../core/text/say';
import { toldStatus } from './page/cards';

/** A tooltip is not a panel. */
const MOST_GPUS = 16;
const MOST_PROCESSES = 3;

/** A tooltip is narrow, and the vendor of a GeForce is obvious. */
const VENDOR = /^NVIDIA /;

/** Columns of a tooltip's table have no padding. */
const GAP = mdText`&ensp;`;

/** One machine in Markdown: its GPUs, the processes that hold their memory, and problems. */
export function hostPart(
  say: Say,
  reading: HostReading,
  rows: readonly MeterRow[],
  isAlone: boolean,
): Markdown[] {
  const { status, host } = reading;
  const title = isAlone ? [] : [mdText`**${host.name}**${isOld(status) ? ` (${status.state})` : ''}`];
  const gpus = rows.length > 0 ? [table(say, rows.slice(0, MOST_GPUS))] : [];
  const more = rows.length - MOST_GPUS;
  return [
    ...title,
    ...gpus,
    ...(more > 0 ? [mdText`${say('… and {0} more GPUs', more)}`] : []),
    ...holders(say, reading),
    ...troubles(say, status),
  ];
}

/** The readings are not live. */
const isOld = ({ state }: HostStatus): boolean => state !== 'live' && state !== 'connecting';

function table(say: Say, rows: readonly MeterRow[]): Markdown {
  const between = mdText`${GAP} | `.source;
  const names = mdJoined(
    ['GPU', say('name'), say('memory'), say('busy'), say('temperature'), say('power')],
    between,
  );
  const head = mdText`| ${names} |\n| :-- | :-- | :-- | --: | --: | --: |`;
  const lines = rows.map(row => {
    const { device, sample } = row;
    const cells = [
      String(device.index),
      (device.name ?? 'n/a').replace(VENDOR, ''),
      unbroken(memoryText(row, say)),
      amount(sample?.utilPct ?? null, '%'),
      amount(sample?.tempC ?? null, '°C'),
      amount(sample?.powerW ?? null, 'W'),
    ];
    return mdText`| ${mdJoined(cells, between)} |`;
  });
  return mdJoined([head, ...lines], '\n');
}

const unbroken = (text: string): Markdown => mdJoined(text.split(' '), '&nbsp;');

/** `12.3 GB python train.py (ana, GPU 0)`, most memory first. */
function holders(say: Say, { processes, devices }: HostReading): Markdown[] {
  const known = (processes ?? []).filter(({ memoryUsedMiB }) => (memoryUsedMiB ?? 0) > 0);
  const largest = known.toSorted((a, b) => (b.memoryUsedMiB ?? 0) - (a.memoryUsedMiB ?? 0));
  const lines = largest.slice(0, MOST_PROCESSES).map(process => {
    const index = indexOf(process, devices);
    const place = index === null ? [] : [`GPU ${index}`];
    const who = [...(process.user ? [process.user] : []), ...place];
    const name = shortened(
      process.name ?? process.command ?? say('process {0}', process.pid ?? '').trimEnd(),
    );
    const size = unbroken(formatBytes((process.memoryUsedMiB ?? 0) * MIB));
    return mdText`- ${size} ${name}${who.length > 0 ? ` (${commas(say, who)})` : ''}`;
  });
  const more = largest.length - lines.length;
  if (lines.length === 0) return [];
  return [mdJoined([...lines, ...(more > 0 ? [mdText`- ${say('… and {0} more', more)}`] : [])], '\n')];
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

const amount = (value: number | null, unit: string): Markdown =>
  value === null ? mdText`n/a` : mdText`${Math.round(value)}&nbsp;${unit}`;

function troubles(say: Say, status: HostStatus): Markdown[] {
  const { state, message, todo } = toldStatus(say, status);
  if (state === 'asleep') return [mdText`${say("Headroom doesn't wake it to read it.")}`];
  return message === null
    ? []
    : [
        mdJoined(
          [message, todo].filter(text => text !== null),
          ' ',
        ),
      ];
}

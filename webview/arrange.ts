import type { DeviceCard, DeviceNow, HostCard } from '../src/panel/page/protocol';
import type { Sort, ViewState } from '../src/panel/page/viewState';
import { gpuName } from './format';

/** Devices under one heading. */
export interface Group {
  /** A host's id; `pinned` for the pinned devices. */
  readonly id: string;
  /** Null: devices of several hosts. */
  readonly host: HostCard | null;
  readonly devices: readonly DeviceCard[];
  readonly isFolded: boolean;
}

interface Arrangement {
  readonly groups: readonly Group[];
  readonly shown: number;
  readonly total: number;
}

export const PINNED = 'pinned';

/** What is shown, in order: pinned devices on top, then host by host, this machine first if it has GPUs. */
export function arrange(
  hosts: Iterable<HostCard>,
  latest: ReadonlyMap<string, DeviceNow>,
  view: ViewState,
): Arrangement {
  const all = [...hosts].sort(byHost);
  const isWanted = matcher(view.filter);
  const order = comparing(view.sort, latest);
  const pinned: DeviceCard[] = [];
  const groups = all.flatMap(host => {
    const wanted = host.devices.filter(device => isWanted(textOf(host, device))).sort(order);
    const isPinned = ({ id }: DeviceCard): boolean => view.pinned.includes(id);
    pinned.push(...wanted.filter(isPinned));
    const devices = wanted.filter(device => !isPinned(device));
    // A host without devices still shows its status or its scheduler's counts.
    const isShown = wanted.length > 0 || (host.devices.length === 0 && isWanted(textOf(host, null)));
    return isShown ? [{ id: host.id, host, devices, isFolded: view.collapsed.includes(host.id) }] : [];
  });
  const top = pinned.length === 0 ? [] : [{ id: PINNED, host: null, devices: pinned, isFolded: false }];
  const shown = groups.reduce((sum, { devices }) => sum + devices.length, pinned.length);
  return {
    groups: [...top, ...groups],
    shown,
    total: all.reduce((sum, host) => sum + host.devices.length, 0),
  };
}

/** This machine comes first; without a GPU it comes last. */
function rank({ kind, devices, status }: HostCard): number {
  if (kind !== 'local') return 1;
  return devices.length === 0 && ['no-gpu', 'no-tool'].includes(status.state) ? 2 : 0;
}

const byHost = (a: HostCard, b: HostCard): number =>
  rank(a) - rank(b) || a.name.localeCompare(b.name, 'en', { numeric: true });

/** Every word of the filter must match. */
function matcher(filter: string): (text: string) => boolean {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return text => words.every(word => text.includes(word));
}

/** The text that a filter searches: host, name, number, processes. */
function textOf(host: HostCard, device: DeviceCard | null): string {
  const places = host.capacities.flatMap(({ place, gpu }) => [place, gpu ?? '']);
  const own = [host.name, host.kind, host.status.state, ...(device ? [] : places)];
  if (device === null) return own.join(' ').toLowerCase();
  const holders =
    device.processes?.flatMap(({ name, user, pid }) => [name ?? '', user ?? '', String(pid)]) ?? [];
  const slices = device.mig?.map(({ profile }) => profile ?? 'mig') ?? [];
  return [...own, `gpu #${device.index}`, gpuName(device), device.vendor, ...slices, ...holders]
    .join(' ')
    .toLowerCase();
}

/** Live values are compared in these steps, so that cards do not keep moving. */
const STEPS: Readonly<Record<Exclude<Sort, 'index' | 'name'>, number>> = {
  memory: 0.05,
  utilisation: 10,
  temperature: 3,
  power: 20,
};

function comparing(
  sort: Sort,
  latest: ReadonlyMap<string, DeviceNow>,
): (a: DeviceCard, b: DeviceCard) => number {
  const byIndex = (a: DeviceCard, b: DeviceCard): number => a.index - b.index;
  if (sort === 'index') return byIndex;
  if (sort === 'name') {
    return (a, b) => gpuName(a).localeCompare(gpuName(b), 'en', { numeric: true }) || byIndex(a, b);
  }
  const level = (device: DeviceCard): number => {
    const value = valueFor(sort, device, latest.get(device.id) ?? null);
    return value === null ? -1 : Math.round(value / STEPS[sort]);
  };
  return (a, b) => level(b) - level(a) || byIndex(a, b);
}

function valueFor(
  sort: keyof typeof STEPS,
  { memoryTotalMiB }: DeviceCard,
  now: DeviceNow | null,
): number | null {
  if (now === null) return null;
  if (sort === 'utilisation') return now.utilPct;
  if (sort === 'temperature') return now.tempC;
  if (sort === 'power') return now.powerW;
  return now.memoryUsedMiB === null || !memoryTotalMiB ? null : now.memoryUsedMiB / memoryTotalMiB;
}

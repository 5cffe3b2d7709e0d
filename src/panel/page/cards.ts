import type { Advice } from '../../core/advice/advice';
import { isOn } from '../../gpu/advisor';
import type { GpuDevice } from '../../gpu/device';
import { deviceId } from '../../gpu/fleet';
import type { HostReading, HostStatus } from '../../gpu/fleet';
import { english, told } from '../../core/text/say';
import type { Say } from '../../core/text/say';
import { troubleOf } from '../../gpu/sample';
import type { GpuProcess, GpuSample } from '../../gpu/sample';
import type { DeviceCard, DeviceNow, HostCard, HostTick, ProcessRow } from './protocol';

/** A host as the page shows it. */
export function hostCard(
  reading: HostReading,
  adviceOf: (device: string) => readonly Advice[] = () => [],
  say: Say = english,
): HostCard {
  const { host, machine, capacities, devices } = reading;
  const status = toldStatus(say, reading.status);
  const now = samplesByKey(reading);
  const cards = devices.map(device => {
    const id = deviceId(host.id, device);
    return { ...deviceCard(device, id, reading), advice: adviceOf(id), now: nowOf(now.get(device.key)) };
  });
  return { ...host, status, machine, capacities, devices: cards };
}

/** What happened and what to do, in the window's language; the tools' own words stay. */
export const toldStatus = (say: Say, status: HostStatus): HostStatus => ({
  ...status,
  message: status.message === null ? null : told(say, status.message),
  todo: status.todo === null ? null : told(say, status.todo),
});

/** The part of a host that changes every second. */
export function hostTick(reading: HostReading): HostTick {
  const { host, machine, devices } = reading;
  const samples = samplesByKey(reading);
  const now = devices.flatMap(device => {
    const latest = nowOf(samples.get(device.key));
    return latest === null ? [] : [[deviceId(host.id, device), latest] as const];
  });
  return { id: host.id, machine, now: Object.fromEntries(now) };
}

const samplesByKey = ({ samples }: HostReading): ReadonlyMap<string, GpuSample> =>
  new Map(samples.map(sample => [sample.key, sample]));

function deviceCard(
  device: GpuDevice,
  id: string,
  { processes }: HostReading,
): Omit<DeviceCard, 'advice' | 'now'> {
  const { index, name, vendor, memoryTotalMiB, memoryKind, driverVersion, virtualization, mig } = device;
  const rows = processes?.filter(process => isOn(process, device)).map(processRow) ?? null;
  return {
    id,
    index,
    name,
    vendor,
    memoryTotalMiB,
    memoryKind,
    driverVersion,
    virtualization,
    mig: mig?.enabled ? mig.instances : null,
    processes: rows?.toSorted((a, b) => (b.memoryUsedMiB ?? -1) - (a.memoryUsedMiB ?? -1)) ?? null,
  };
}

function processRow(process: GpuProcess): ProcessRow {
  const { pid, name, memoryUsedMiB, type, gpuInstanceId, computeInstanceId } = process;
  const slice = [gpuInstanceId, computeInstanceId].filter(id => id !== null).join('/');
  return {
    pid,
    name,
    user: process.user ?? null,
    command: process.command ?? null,
    container: process.container ?? null,
    memoryUsedMiB,
    busyPct: process.smPct ?? null,
    graphicsOnly: type === 'G',
    slice: slice === '' ? null : slice,
  };
}

function nowOf(sample: GpuSample | undefined): DeviceNow | null {
  if (sample === undefined) return null;
  const { utilPct, memBusyPct, memoryUsedMiB, memoryFreeMiB, tempC, powerLimitW, fanPct, clockSmMHz } =
    sample;
  return {
    atMs: sample.receivedMs,
    utilPct,
    memBusyPct,
    memoryUsedMiB,
    memoryFreeMiB,
    tempC,
    powerW: sample.powerW,
    powerLimitW,
    fanPct,
    clockSmMHz,
    throttle: sample.throttleReasons ?? null,
    trouble: troubleOf(sample),
  };
}

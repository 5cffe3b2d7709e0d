import type { GpuFacts, Target } from '../core/hardware/gpu';
import { usableMiB } from '../core/hardware/usable';
import type { GpuSource } from '../core/hardware/match';
import type { Detection } from './detect';
import type { GpuDevice } from './device';
import type { GpuSample } from './sample';

/** Devices whose used memory differs by less count as equally busy. */
const ALIKE_MIB = 2048;

/** One device as its own target. */
interface Present {
  readonly name: string;
  readonly totalMiB: number;
  readonly usableMiB: number;
  readonly busyMiB: number;
  readonly gpu: GpuFacts | null;
  /** A MIG instance: a program gets one of them, however many there are. */
  readonly isSlice: boolean;
  readonly uuid: string | null;
}

/**
 * The GPUs of this machine as targets: equal ones that are about equally busy form one target with a count, and the
 * one with the most free memory comes first. Devices with unknown memory are omitted.
 */
export function presentTargets(
  detection: Pick<Detection, 'devices' | 'samples' | 'hostMiB'>,
  gpus: GpuSource,
): readonly Target[] {
  const samples = new Map(detection.samples.map(sample => [sample.key, sample]));
  const devices = detection.devices.flatMap(device => presentOf(device, samples.get(device.key), gpus));
  const groups = new Map<string, Present[]>();
  for (const device of devices) {
    const key = `${device.name}|${device.totalMiB}|${Math.floor(device.busyMiB / ALIKE_MIB)}`;
    groups.set(key, [...(groups.get(key) ?? []), device]);
  }
  const { hostMiB } = detection;
  const machine = hostMiB === undefined ? {} : { hostMiB };
  return [...groups.values()]
    .map(one => ({ ...targetOf(one, devices.length), ...machine }))
    .sort((a, b) => freeMiB(b) - freeMiB(a));
}

function freeMiB(target: Target): number {
  return target.usableMiB - target.busyMiB;
}

/** Equal devices as one target, as busy as the busiest of them. */
function targetOf(devices: readonly Present[], ofMachine: number): Target {
  const [first, ...others] = [...devices].sort((a, b) => b.busyMiB - a.busyMiB);
  if (!first) throw new RangeError('A target needs a device.');
  const { name, totalMiB, usableMiB, busyMiB, gpu, isSlice } = first;
  const count = isSlice ? 1 : others.length + 1;
  const memory = { name, totalMiB, usableMiB, busyMiB, gpu };
  return { ...memory, count, nodes: 1, kind: 'present', ...known(devices, ofMachine) };
}

/** Device names that the CUDA driver accepts. */
const UUID = /^(GPU|MIG)-/;

/** Empty if one of them lacks a UUID, or there is no choice. */
function known(devices: readonly Present[], ofMachine: number): Pick<Target, 'devices'> {
  const freestFirst = [...devices].sort((a, b) => a.busyMiB - b.busyMiB);
  const uuids = freestFirst.flatMap(({ uuid }) => (uuid !== null && UUID.test(uuid) ? [uuid] : []));
  return uuids.length < devices.length || ofMachine < 2 ? {} : { devices: { uuids, ofMachine } };
}

function presentOf(device: GpuDevice, sample: GpuSample | undefined, gpus: GpuSource): readonly Present[] {
  if (device.mig?.enabled) return instancesOf(device, gpus);
  const gpu = device.name === null ? null : gpus.ofDevice(device.name, device.memoryTotalMiB);
  const totalMiB = device.memoryTotalMiB ?? gpu?.memoryMiB ?? null;
  if (totalMiB === null) return [];
  const name = gpu?.label ?? device.name ?? 'GPU';
  return [{ name, totalMiB, ...memoryOf(sample, gpu, totalMiB), gpu, isSlice: false, uuid: device.uuid }];
}

/** The driver's reserved memory as reported, else by the card's rule; unknown use counts as free. */
function memoryOf(sample: GpuSample | undefined, gpu: GpuFacts | null, totalMiB: number) {
  const reserved = sample?.memoryReservedMiB ?? null;
  return {
    usableMiB: reserved === null ? usableMiB(gpu, totalMiB) : totalMiB - reserved,
    busyMiB: sample?.memoryUsedMiB ?? 0,
  };
}

/** With MIG on, a program gets one instance, never the whole GPU. */
function instancesOf(device: GpuDevice, gpus: GpuSource): readonly Present[] {
  return (device.mig?.instances ?? []).flatMap(instance => {
    const slice =
      instance.profile === null ? null : gpus.find(`${device.name ?? ''} MIG ${instance.profile}`);
    const totalMiB = instance.memoryTotalMiB ?? slice?.memoryMiB ?? null;
    if (totalMiB === null) return [];
    const name = slice?.label ?? `${device.name ?? 'GPU'} MIG ${instance.profile ?? instance.index}`;
    return [
      {
        name,
        totalMiB,
        usableMiB: totalMiB,
        busyMiB: instance.memoryUsedMiB ?? 0,
        gpu: slice,
        isSlice: true,
        uuid: instance.uuid,
      },
    ];
  });
}

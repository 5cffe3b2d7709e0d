import type { GpuSight, SeenGpu, SeenProcess } from '../core/hardware/sight';
import type { GpuDevice, MigInstance } from './device';
import type { HostReading } from './fleet';
import { LocalWatch } from './localWatch';
import type { Machine } from './machine';
import { heldOnce } from './processes';
import { hasAnswered } from './places';
import type { GpuProcess, GpuSample } from './sample';
import { MIB } from '../core/units';

/** A driver's first response takes time on a machine with many GPUs. */
const FIRST_MS = 45_000;
/** Listing processes starts a process each time. */
const LIST_MS = 4000;

/** This machine's GPUs at one point in time, for jobs: what is free, and who holds what. */
export class Sight {
  private readonly release: () => void;
  private readonly first: Promise<void>;
  private list: { readonly atMs: number; readonly processes: Promise<HostReading['processes']> } | null =
    null;

  constructor(
    private readonly machine: Machine,
    private readonly watch = new LocalWatch(machine),
  ) {
    this.first = new Promise(resolve => {
      const done = (): void => {
        clearTimeout(timer);
        forget();
        resolve();
      };
      const timer = setTimeout(done, FIRST_MS);
      const forget = watch.on(reading => {
        if (hasAnswered(reading)) queueMicrotask(done);
      });
    });
    this.release = watch.hold();
  }

  /** The latest reading; null if no GPU can be read. */
  async look(): Promise<GpuSight | null> {
    await this.first;
    const { devices, samples, status } = this.watch.reading;
    if (devices.length === 0) return null;
    return seen({ devices, samples, processes: await this.listed() }, status.collector);
  }

  /** The processes on the GPUs, at most a few seconds old. */
  private listed(): Promise<HostReading['processes']> {
    const now = Date.now();
    if (!this.list || now - this.list.atMs > LIST_MS) {
      const processReading = this.watch.detection().then(found => this.machine.processes(found));
      const processes = processReading.then(reading => reading?.processes ?? null);
      this.list = { atMs: now, processes };
    }
    return this.list.processes;
  }

  /** Queries the tools now. */
  async now(): Promise<GpuSight | null> {
    return seen(await this.machine.detect(), this.watch.reading.status.collector);
  }

  dispose(): void {
    this.release();
    this.watch.dispose();
  }
}

function seen(
  { devices, samples, processes }: Pick<HostReading, 'devices' | 'samples' | 'processes'>,
  collector: string | null,
): GpuSight | null {
  if (devices.length === 0 || samples.length === 0) return null;
  const byKey = new Map(samples.map(sample => [sample.key, sample]));
  const gpus = devices.flatMap(device => seenOf(device, byKey.get(device.key)));
  const source = collector?.split(' ')[0] ?? 'the GPU tool';
  const held = processes === null ? null : heldOnce(processes).flatMap(one => seenProcess(one, devices));
  return { gpus, processes: held, source };
}

/** Without a pid, nobody can tell whose it is. */
function seenProcess(process: GpuProcess, devices: readonly GpuDevice[]): readonly SeenProcess[] {
  const { pid, gpuUuid, deviceKey = null, name, memoryUsedMiB } = process;
  if (pid === null) return [];
  const device = devices.find(({ key }) => key === deviceKey);
  const uuid = (device && sliceOf(process, device)) ?? gpuUuid ?? deviceKey;
  return [{ pid, uuid, name, bytes: bytesOf(memoryUsedMiB) }];
}

/** The process's MIG instance: memory of a GPU with instances is assigned by instance. */
function sliceOf({ gpuInstanceId, computeInstanceId }: GpuProcess, { key, mig }: GpuDevice): string | null {
  if (gpuInstanceId === null) return null;
  const found = mig?.instances.find(
    one =>
      one.gpuInstanceId === gpuInstanceId &&
      (computeInstanceId === null || one.computeInstanceId === computeInstanceId),
  );
  return found ? uuidOf(found, key) : null;
}

const uuidOf = ({ uuid, index }: MigInstance, key: string): string => uuid ?? `${key}/${index}`;

function seenOf(device: GpuDevice, sample: GpuSample | undefined): readonly SeenGpu[] {
  const { index, name, vendor, uuid, key, memoryTotalMiB: total, mig } = device;
  const { utilPct = null, tempC = null, powerW = null, memoryUsedMiB = null } = sample ?? {};
  if (mig?.enabled) {
    // Utilization, temperature and power are the whole GPU's, not those of an instance.
    const whole = { utilPct: null, tempC: null, powerW: null };
    return mig.instances.map(one => ({
      ...{ index, vendor, uuid: uuidOf(one, key), name: one.profile ?? name, ...whole },
      totalBytes: bytesOf(one.memoryTotalMiB),
      freeBytes: bytesOf(minus(one.memoryTotalMiB, one.memoryUsedMiB)),
      usedBytes: bytesOf(one.memoryUsedMiB),
    }));
  }
  const reserved = sample?.memoryReservedMiB ?? 0;
  const free = sample?.memoryFreeMiB ?? minus(minus(total, memoryUsedMiB), reserved);
  const read = { utilPct, tempC, powerW, usedBytes: bytesOf(memoryUsedMiB) };
  return [
    { index, vendor, uuid: uuid ?? key, name, totalBytes: bytesOf(total), freeBytes: bytesOf(free), ...read },
  ];
}

const bytesOf = (mib: number | null): number | null => (mib === null ? null : mib * MIB);

const minus = (total: number | null, used: number | null): number | null =>
  total === null || used === null ? null : total - used;

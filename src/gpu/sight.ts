import type { GpuDevice } from './device';
import type { HostReading } from './fleet';
import { LocalWatch } from './localWatch';
import type { Machine } from './machine';
import { hasAnswered } from './places';
import type { GpuProcess, GpuSample } from './sample';

const MIB = 2 ** 20;
/** A driver's first answer on a machine with many GPUs takes its time. */
const FIRST_MS = 45_000;
/** Each time they are listed a process is started. */
const LIST_MS = 4000;

/** A GPU, or an instance of one, as whoever gives them out needs to know it. */
interface SeenGpu {
  readonly uuid: string;
  readonly index: number;
  readonly name: string | null;
  readonly vendor: string;
  readonly totalBytes: number | null;
  readonly freeBytes: number | null;
}

/** This machine's GPUs at one moment, for jobs: who is free, and who holds what. */
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

  /** The latest; null where there are no GPUs that can be read. */
  async look(): Promise<Seen | null> {
    await this.first;
    const { devices, samples, status } = this.watch.reading;
    if (devices.length === 0) return null;
    return seen({ devices, samples, processes: await this.listed() }, status.collector);
  }

  /** Who is on the GPUs, as of a few seconds ago at most. */
  private listed(): Promise<HostReading['processes']> {
    const now = Date.now();
    if (!this.list || now - this.list.atMs > LIST_MS) {
      const asked = this.watch.detection().then(found => this.machine.processes(found));
      const processes = asked.then(reading => reading?.processes ?? null);
      this.list = { atMs: now, processes };
    }
    return this.list.processes;
  }

  /** Asks the tools now. */
  async now(): Promise<Seen | null> {
    return seen(await this.machine.detect(), this.watch.reading.status.collector);
  }

  dispose(): void {
    this.release();
    this.watch.dispose();
  }
}

/** What was seen at one moment, and by whose word. */
interface Seen {
  readonly gpus: readonly SeenGpu[];
  readonly processes: readonly SeenProcess[] | null;
  readonly source: string;
}

interface SeenProcess {
  readonly pid: number;
  readonly uuid: string | null;
  readonly name: string | null;
  readonly bytes: number | null;
}

function seen(
  { devices, samples, processes }: Pick<HostReading, 'devices' | 'samples' | 'processes'>,
  collector: string | null,
): Seen | null {
  if (devices.length === 0 || samples.length === 0) return null;
  const byKey = new Map(samples.map(sample => [sample.key, sample]));
  const gpus = devices.flatMap(device => seenOf(device, byKey.get(device.key)));
  const source = collector?.split(' ')[0] ?? 'the GPU’s tool';
  return { gpus, processes: processes?.map(process => seenProcess(process)) ?? null, source };
}

const seenProcess = ({ pid, gpuUuid, deviceKey, name, memoryUsedMiB }: GpuProcess): SeenProcess => ({
  pid,
  uuid: gpuUuid ?? deviceKey ?? null,
  name,
  bytes: bytesOf(memoryUsedMiB),
});

function seenOf(device: GpuDevice, sample: GpuSample | undefined): readonly SeenGpu[] {
  const { index, name, vendor, uuid, key, memoryTotalMiB: total, mig } = device;
  if (mig?.enabled) {
    return mig.instances.map(one => ({
      ...{ index, vendor, uuid: one.uuid ?? `${key}/${one.index}`, name: one.profile ?? name },
      totalBytes: bytesOf(one.memoryTotalMiB),
      freeBytes: bytesOf(minus(one.memoryTotalMiB, one.memoryUsedMiB)),
    }));
  }
  const reserved = sample?.memoryReservedMiB ?? 0;
  const unused = minus(total, sample?.memoryUsedMiB ?? null);
  const free = sample?.memoryFreeMiB ?? minus(unused, reserved);
  return [{ index, vendor, uuid: uuid ?? key, name, totalBytes: bytesOf(total), freeBytes: bytesOf(free) }];
}

const bytesOf = (mib: number | null): number | null => (mib === null ? null : mib * MIB);

const minus = (total: number | null, used: number | null): number | null =>
  total === null || used === null ? null : total - used;

import type { GpuSight } from '../../core/hardware/sight';
import type { GpuPort } from '../gpuPort';
import type { JobPeak } from '../job';
import { peakOfEach } from '../job';
import type { Processes } from '../processes/process';
import type { JobSample } from '../samples';
import { heldBy } from './queue';

/** An allocator grows in the first steps and then stays, so little is missed between readings. */
const LOOK_MS = 2000;

/** What to watch, and where readings go. */
interface GpuWatchOptions {
  readonly id: string;
  /** UUIDs of the GPUs that the job was given. */
  readonly given: readonly string[];
  readonly port: GpuPort;
  readonly processes: Processes;
  readonly onPeak: (peak: JobPeak) => void;
  readonly onSample: (sample: JobSample) => Promise<void>;
}

/** Watches a job's GPUs, and the memory its processes hold on them, while it runs. */
export class GpuWatch {
  /** The peak on each GPU, by UUID. */
  private readonly held = new Map<string, number>();
  private source = '';
  private readonly timer: NodeJS.Timeout;
  private isLooking = false;
  private isOver = false;
  private writing: Promise<void> = Promise.resolve();

  constructor(private readonly options: GpuWatchOptions) {
    this.timer = setInterval(() => void this.look(), LOOK_MS);
    void this.look();
  }

  /** The peak on one GPU; null if none was seen. */
  peak(): JobPeak | null {
    return peakOfEach([...this.held.values()], `${this.source} by process`);
  }

  /** Does not wait for a pending tool, but for pending writes. */
  async end(): Promise<JobPeak | null> {
    this.isOver = true;
    clearInterval(this.timer);
    await this.writing;
    return this.peak();
  }

  private async look(): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      const { id, port, processes } = this.options;
      const sight = await port.look();
      const held = sight && (await heldBy(id, sight, processes));
      if (!held || this.isOver) return;
      this.take(held, sight.source);
      this.writing = this.keep(sight, held).catch(() => undefined);
      await this.writing;
    } catch {
      // Retry a failed tool later.
    } finally {
      this.isLooking = false;
    }
  }

  private take(amounts: Readonly<Record<string, number>>, source: string): void {
    const grown = Object.entries(amounts).filter(([uuid, bytes]) => bytes > (this.held.get(uuid) ?? 0));
    if (grown.length === 0) return;
    for (const [uuid, bytes] of grown) this.held.set(uuid, bytes);
    this.source = source;
    const peak = this.peak();
    if (peak) this.options.onPeak(peak);
  }

  private async keep({ gpus }: GpuSight, held: Readonly<Record<string, number>>): Promise<void> {
    const { given, onSample } = this.options;
    const own = gpus.filter(({ uuid }) => given.includes(uuid) || held[uuid] !== undefined);
    if (own.length === 0) return;
    await onSample({
      timeMs: Date.now(),
      gpus: own.map(({ uuid, usedBytes, utilPct, tempC, powerW }) => {
        return { uuid, heldBytes: held[uuid] ?? null, usedBytes, utilPct, tempC, powerW };
      }),
    });
  }
}

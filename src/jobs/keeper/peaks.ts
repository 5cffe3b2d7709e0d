import type { GpuPort } from '../gpuPort';
import type { JobPeak } from '../job';
import type { Processes } from '../processes/processes';
import { heldBy } from './queue';

/** An allocator grows in the first steps and then stays: what is missed between two looks is short. */
const LOOK_MS = 2000;

/** Watches what a job's processes hold on GPUs, while it runs. */
export class PeakWatch {
  private bytes = 0;
  private source = '';
  private readonly timer: NodeJS.Timeout;
  private isLooking = false;

  constructor(
    private readonly id: string,
    private readonly port: GpuPort,
    private readonly processes: Processes,
    private readonly onGrowth: (peak: JobPeak) => void,
  ) {
    this.timer = setInterval(() => void this.look(), LOOK_MS);
    void this.look();
  }

  /** The most on one GPU; null where it was never seen on any. */
  peak(): JobPeak | null {
    if (this.bytes === 0) return null;
    return { metric: 'device', bytes: this.bytes, source: `${this.source} by process` };
  }

  end(): JobPeak | null {
    clearInterval(this.timer);
    return this.peak();
  }

  private async look(): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      const sight = await this.port.look();
      if (sight) this.take(Object.values(await heldBy(this.id, sight, this.processes)), sight.source);
    } catch {
      // A tool that fails now is asked again.
    } finally {
      this.isLooking = false;
    }
  }

  private take(amounts: readonly number[], source: string): void {
    const most = Math.max(0, ...amounts);
    if (most <= this.bytes) return;
    this.bytes = most;
    this.source = source;
    const peak = this.peak();
    if (peak) this.onGrowth(peak);
  }
}

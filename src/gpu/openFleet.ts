import type { Target } from '../core/hardware/gpu';
import type { GpuSource } from '../core/ports';
import type { Detection } from './detect';
import type { Fleet, HostReading, HostWatch, SampleHistory } from './fleet';
import { RingHistory } from './history';
import { LocalWatch } from './localWatch';
import { openGpus } from './open';
import { presentTargets } from './present';

export interface FleetOptions {
  /** Executables that the user has set, by tool id. */
  readonly executables: Readonly<Record<string, string>>;
  readonly intervalMs: number;
}

/** Nothing starts before a watch is held or something is asked. */
export function openFleet({ executables, intervalMs }: FleetOptions): OpenFleet {
  return new OpenFleet(new LocalWatch(openGpus(executables).machine(intervalMs)));
}

/** The fleet of a program that stays: this machine first, then the hosts that were configured. */
export class OpenFleet implements Fleet {
  readonly history: SampleHistory = new RingHistory();
  private readonly listeners = new Set<() => void>();
  private readonly forget = new Map<HostWatch, () => void>();

  constructor(readonly local: LocalWatch) {
    this.remember(local);
  }

  watches(): readonly HostWatch[] {
    return [...this.forget.keys()];
  }

  onHosts(listener: () => void): () => void {
    const entry = () => listener();
    this.listeners.add(entry);
    return () => this.listeners.delete(entry);
  }

  /** The GPUs of this machine; its tools are asked when somebody first wants to know. */
  detection(): Promise<Detection> {
    return this.local.detection();
  }

  /** The GPUs of this machine as targets, with the memory that others hold as last read. */
  async targets(gpus: GpuSource): Promise<readonly Target[]> {
    const detection = await this.detection();
    const { samples } = this.local.reading;
    return presentTargets(samples.length === 0 ? detection : { ...detection, samples }, gpus);
  }

  dispose(): void {
    this.listeners.clear();
    for (const watch of this.forget.keys()) watch.dispose();
    this.forget.clear();
  }

  /** Keeps what a watch reads. */
  private remember(watch: HostWatch): void {
    let last: HostReading['samples'] = [];
    const forget = watch.on(({ samples }) => {
      if (samples !== last) this.history.add(watch.host.id, samples);
      last = samples;
    });
    this.forget.set(watch, forget);
  }
}

import { machinePlaces } from '../core/compare/place';
import type { Place } from '../core/compare/place';
import type { Target } from '../core/hardware/gpu';
import type { GpuSource } from '../core/ports';
import type { Detection } from './detect';
import type { Fleet, HostReading, HostWatch, SampleHistory } from './fleet';
import { RingHistory } from './history';
import { LocalWatch } from './localWatch';
import { openGpus } from './open';
import { askHosts, hostPlaces } from './places';
import { presentTargets } from './present';
import { nodeTimers } from './timers';

/** A login over several hops takes seconds; who waits for a list does not want to wait for longer. */
const PATIENCE_MS = 8000;

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

  /** Where a run could go now: this machine, hosts and clusters as last read. */
  async places(gpus: GpuSource): Promise<readonly Place[]> {
    const others = this.watches().filter(watch => watch !== this.local);
    return this.placesOf(
      others.map(({ reading }) => reading),
      gpus,
    );
  }

  /** The same, once all have answered, or a few seconds have gone. */
  async askedPlaces(gpus: GpuSource): Promise<readonly Place[]> {
    const others = this.watches().filter(watch => watch !== this.local);
    return this.placesOf(await askHosts(others, PATIENCE_MS, nodeTimers), gpus);
  }

  private async placesOf(others: readonly HostReading[], gpus: GpuSource): Promise<readonly Place[]> {
    const here = machinePlaces('local', this.local.host, await this.targets(gpus), null);
    return [...here, ...hostPlaces(others, gpus)];
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

import type { Source } from './ask';
import { Collector } from './collector';
import type { CollectorOptions, SamplerState } from './collector';
import { ToolRunner } from './runner';
import type { GpuSample } from './sample';

export interface SamplerListener {
  samples(samples: readonly GpuSample[]): void;
  state(state: SamplerState): void;
}

/** GPUs that are read repeatedly while they are held. */
export interface Sampling {
  readonly state: SamplerState;
  /** Subscribes until the returned function is called. */
  on(listener: SamplerListener): () => void;
  /** Requests samples until the returned function is called (a second call does nothing). */
  hold(): () => void;
  /** Ends its processes and removes all listeners. */
  dispose(): void;
}

/** Reads the GPUs repeatedly while it is held, and starts nothing otherwise. All holders share one process. */
export class Sampler implements Sampling {
  private readonly runner: ToolRunner;
  private readonly listeners = new Set<SamplerListener>();
  private collector: Collector | null = null;
  private holds = 0;
  private current: SamplerState = { kind: 'stopped' };

  constructor(
    private readonly source: Source,
    private readonly options: CollectorOptions,
  ) {
    this.runner = new ToolRunner(source.executable, options.launch, options.timers);
  }

  get state(): SamplerState {
    return this.current;
  }

  /** Subscribes until the returned function is called. */
  on(listener: SamplerListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Requests samples until the returned function is called (a second call does nothing). */
  hold(): () => void {
    this.holds += 1;
    if (this.holds === 1) this.start();
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.holds -= 1;
      if (this.holds === 0) this.stop();
    };
  }

  /** Ends the process and removes all listeners. */
  dispose(): void {
    this.listeners.clear();
    if (this.holds > 0) this.stop();
  }

  private start(): void {
    this.collector = new Collector(this.source, this.options, this.runner, {
      samples: samples => {
        for (const listener of this.listeners) listener.samples(samples);
      },
      state: state => this.enter(state),
    });
    this.collector.start();
  }

  private stop(): void {
    this.collector?.stop();
    this.collector = null;
    this.enter({ kind: 'stopped' });
  }

  /** Notifies listeners of a new state; the same state again is not reported. */
  private enter(state: SamplerState): void {
    const isNews = JSON.stringify(state) !== JSON.stringify(this.current);
    this.current = state;
    if (isNews) for (const listener of this.listeners) listener.state(state);
  }
}

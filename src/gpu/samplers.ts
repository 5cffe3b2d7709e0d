import type { SamplerState } from './collector';
import type { GpuSample } from './sample';
import type { Sampling, SamplerListener } from './sampler';

/**
 * Several tools as one: each new reading includes the latest of the others, and the state is that of the best one.
 */
export class Samplers implements Sampling {
  private readonly latest: (readonly GpuSample[])[];
  private readonly listeners = new Set<SamplerListener>();
  private reported = '';

  constructor(private readonly parts: readonly Sampling[]) {
    this.latest = parts.map(() => []);
    parts.forEach((part, at) =>
      part.on({
        samples: samples => this.take(at, samples),
        state: () => this.publishState(),
      }),
    );
  }

  get state(): SamplerState {
    const states = this.parts.map(part => part.state);
    return states.find(({ kind }) => kind === 'live') ?? states[0] ?? { kind: 'stopped' };
  }

  on(listener: SamplerListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  hold(): () => void {
    const releases = this.parts.map(part => part.hold());
    return () => {
      for (const release of releases) release();
    };
  }

  dispose(): void {
    this.listeners.clear();
    for (const part of this.parts) part.dispose();
  }

  private take(at: number, samples: readonly GpuSample[]): void {
    this.latest[at] = samples;
    const all = this.latest.flat();
    for (const listener of this.listeners) listener.samples(all);
  }

  private publishState(): void {
    const { state } = this;
    const text = JSON.stringify(state);
    if (text === this.reported) return;
    this.reported = text;
    for (const listener of this.listeners) listener.state(state);
  }
}

import type { SamplerState } from './collector';
import type { Detection } from './detect';
import type { HostState, MachineLoad } from './fleet';
import type { MachineSink } from './machineReader';
import type { ProcessReading } from './processes';
import type { GpuSample } from './sample';
import type { ToolError } from './tool';
import { oneLine } from '../remote/words';
import { BaseWatch } from './watch';
import type { Circumstances } from './watch';
import { phrase } from '../core/text/say';

/** A watch of a machine that is read through vendors' tools: turns their data into readings. */
export abstract class MachineWatch extends BaseWatch implements MachineSink {
  protected abstract readonly intervalMs: number;
  private toolId = '';
  private readonly migs = new Map<string, GpuSample['mig']>();
  private cancelStale: () => void = () => undefined;

  found(detection: Detection): void {
    const { devices, samples, processes, source, error } = detection;
    this.toolId = source?.tool.id ?? '';
    this.notify({ devices, samples, processes });
    if (devices.length > 0 && source !== null) return;
    this.enter(...(error ? this.toolTrouble(error) : noTool(devices.length)));
  }

  samples(samples: readonly GpuSample[]): void {
    const complete = this.migs.size === 0 ? samples : samples.map(sample => this.withMig(sample));
    this.notify({ samples: complete, status: this.status('live') });
    this.cancelStale();
    this.cancelStale = this.timers.after(staleAfterMs(this.intervalMs), () => {
      if (this.reading.status.state === 'live') this.enter('stale', { message: OLD });
    });
  }

  state(state: SamplerState): void {
    switch (state.kind) {
      case 'stopped':
        return;
      case 'connecting':
        this.enter('connecting');
        return;
      case 'live':
        this.enter('live', { collector: `${this.toolId} ${state.by}` });
        return;
      case 'asleep':
        this.enter('asleep', { message: "The GPU is asleep. Headroom doesn't wake it to read it." });
        return;
      case 'failing': {
        const [kind, trouble] = this.toolTrouble(state.error);
        this.enter(kind, { ...trouble, nextTryMs: state.nextTryMs });
      }
    }
  }

  processes(reading: ProcessReading | null): void {
    for (const { key, mig } of reading?.samples ?? []) this.migs.set(key, mig);
    this.notify({ processes: reading?.processes ?? null });
  }

  load(machine: MachineLoad | null): void {
    this.notify({ machine });
  }

  /** Call at the end of a session. */
  protected settle(): void {
    this.cancelStale();
  }

  /** Quick queries omit the memory of MIG instances, so the last thorough one is used. */
  private withMig(sample: GpuSample): GpuSample {
    const mig = sample.mig ?? this.migs.get(sample.key);
    return mig === undefined ? sample : { ...sample, mig };
  }

  private toolTrouble({ kind, message, text }: ToolError): readonly [HostState, Circumstances] {
    return [this.stateOf(kind), { message, text: oneLine(text), errorKind: kind }];
  }

  private stateOf(kind: ToolError['kind']): HostState {
    if (kind === 'command-not-found') return 'no-tool';
    if (kind === 'no-devices') return 'no-gpu';
    const hasSeen = this.reading.samples.length > 0;
    return kind === 'timed-out' && hasSeen ? 'stale' : 'driver-error';
  }
}

const OLD = phrase`No new data for a while. These values are old.`;

/** Slow tools take a few seconds per query. */
const staleAfterMs = (intervalMs: number): number => Math.max(3 * intervalMs, 5000);

function noTool(devices: number): readonly [HostState, Circumstances] {
  const message =
    devices > 0
      ? phrase`Only GPU names are available: no vendor tool was found.`
      : phrase`No GPU and no GPU tool found.`;
  return ['no-tool', { message, todo: "Install the GPU vendor's driver and tools, then try again." }];
}

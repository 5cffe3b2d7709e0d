import type { SamplerState } from './collector';
import type { Detection } from './detect';
import type { MachineLoad } from './fleet';
import type { Machine } from './machine';
import type { ProcessReading } from './processes';
import type { GpuSample } from './sample';

/** Receives what is read from a machine. */
export interface MachineSink {
  found(detection: Detection): void;
  samples(samples: readonly GpuSample[]): void;
  state(state: SamplerState): void;
  processes(reading: ProcessReading | null): void;
  load(load: MachineLoad | null): void;
}

/** Memory holders change slowly, and reading them starts a process. */
const PROCESSES_EVERY_MS = 10_000;
const LOAD_EVERY_MS = 2000;
/** A running loop of a tool does not see a GPU that is added, so the GPUs are listed again. */
const GPUS_EVERY_MS = 60_000;
/** Sooner if a GPU joined or left the samples. */
const CHANGED_GPUS_EVERY_MS = 5000;

/** One session of reading a machine, from start to stop: detects its GPUs, samples them, and notices others. */
export class MachineReader {
  private isStopped = false;
  private detection: Detection | null = null;
  private state: SamplerState['kind'] = 'stopped';
  /** The GPUs of the last tick. */
  private sampled = '';
  private hasChanged = false;
  private lookedMs = 0;
  private release: () => void = () => undefined;
  private readonly timers = new Map<string, () => void>();

  constructor(
    private readonly machine: Machine,
    private readonly sink: MachineSink,
  ) {}

  /** Starts with the result of an earlier detection, if there is one. */
  start(detected: Promise<Detection> = this.machine.detect()): void {
    void detected.then(detection => {
      if (!this.isStopped) this.begin(detection);
    });
  }

  stop(): void {
    this.isStopped = true;
    this.release();
    for (const cancel of this.timers.values()) cancel();
  }

  private begin(detection: Detection): void {
    const { machine, sink } = this;
    this.sample(detection);
    if (detection.devices.length === 0) return;
    this.every(LOAD_EVERY_MS, 0, async () => sink.load.bind(sink, await machine.load()));
    const processes = async () =>
      sink.processes.bind(sink, await machine.processes(this.detection ?? detection));
    // Detection has already read them once.
    this.every(PROCESSES_EVERY_MS, PROCESSES_EVERY_MS, processes);
    this.every(CHANGED_GPUS_EVERY_MS, CHANGED_GPUS_EVERY_MS, () => this.look());
  }

  /** Reports the GPUs, and samples them instead of earlier ones. */
  private sample(detection: Detection): void {
    const { machine, sink } = this;
    this.release();
    this.release = () => undefined;
    this.detection = detection;
    this.lookedMs = machine.timers.now();
    this.sampled = '';
    this.hasChanged = false;
    sink.found(detection);
    const sampling = detection.devices.length === 0 ? null : machine.sampling(detection);
    if (sampling === null || this.isStopped) return;
    sampling.on({
      samples: samples => {
        const keys = keysOf(samples);
        this.hasChanged ||= this.sampled !== '' && this.sampled !== keys;
        this.sampled = keys;
        sink.samples(samples);
      },
      state: state => {
        if (this.isStopped) return;
        this.state = state.kind;
        sink.state(state);
      },
    });
    const releaseSampling = sampling.hold();
    this.release = () => {
      releaseSampling();
      sampling.dispose();
    };
  }

  /** Lists the GPUs again if that is due. GPUs that sleep or fail are left alone. */
  private async look(): Promise<() => void> {
    const { detection, machine, hasChanged } = this;
    const age = machine.timers.now() - this.lookedMs;
    const isReachable = this.state === 'live' || detection?.devices.length === 0;
    if (!isReachable || !(hasChanged || age >= GPUS_EVERY_MS)) return () => undefined;
    const found = await machine.detect();
    this.lookedMs = machine.timers.now();
    this.hasChanged = false;
    const isAnswer = found.devices.length > 0 || found.error?.kind === 'no-devices';
    const isOther = keysOf(found.devices) !== keysOf(detection?.devices ?? []);
    return isAnswer && isOther ? () => this.sample(found) : () => undefined;
  }

  /** Reads and reports repeatedly, with pauses, until the session ends. */
  private every(pauseMs: number, firstMs: number, ask: () => Promise<() => void>): void {
    const round = async () => {
      const publish = await ask();
      if (this.isStopped) return;
      publish();
      this.timers.set(
        String(pauseMs),
        this.machine.timers.after(pauseMs, () => void round()),
      );
    };
    this.timers.set(
      String(pauseMs),
      this.machine.timers.after(firstMs, () => void round()),
    );
  }
}

const keysOf = (all: readonly { readonly key: string }[]): string =>
  all
    .map(({ key }) => key)
    .sort()
    .join('\n');

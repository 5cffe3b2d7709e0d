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

/** One session of reading a machine, from start to stop: detects its GPUs, then samples them. */
export class MachineReader {
  private isStopped = false;
  private release: () => void = () => undefined;
  private readonly timers = new Map<string, () => void>();

  constructor(
    private readonly machine: Machine,
    private readonly sink: MachineSink,
  ) {}

  start(): void {
    void this.machine.detect().then(detection => {
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
    sink.found(detection);
    const sampling = detection.devices.length === 0 ? null : machine.sampling(detection);
    if (sampling === null) return;
    sampling.on({
      samples: samples => sink.samples(samples),
      state: state => {
        if (!this.isStopped) sink.state(state);
      },
    });
    const releaseSampling = sampling.hold();
    this.release = () => {
      releaseSampling();
      sampling.dispose();
    };
    this.every(LOAD_EVERY_MS, 0, async () => sink.load.bind(sink, await machine.load()));
    const processes = async () => sink.processes.bind(sink, await machine.processes(detection));
    // Detection has already read them once.
    this.every(PROCESSES_EVERY_MS, PROCESSES_EVERY_MS, processes);
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

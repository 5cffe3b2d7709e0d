import { Backoff } from './timers';
import type { Detection } from './detect';
import type { Host } from './fleet';
import type { Machine } from './machine';
import { MachineReader } from './machineReader';
import { MachineWatch } from './machineWatch';

/** A failing driver needs a person to fix it, so it is queried rarely. */
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 300_000;

export const HERE: Host = { id: 'local', kind: 'local', name: 'This machine' };

/** This machine. Its GPUs are detected once, and again while a driver fails or others are found. */
export class LocalWatch extends MachineWatch {
  protected readonly intervalMs: number;
  private readonly backoff = new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
  private detected: Promise<Detection> | null = null;
  private reader: MachineReader | null = null;
  private cancelLook: () => void = () => undefined;

  constructor(
    private readonly machine: Machine,
    host: Host = HERE,
  ) {
    super(host, machine.timers);
    this.intervalMs = machine.intervalMs;
  }

  /** The detected GPUs; runs the tools on the first call. */
  detection(): Promise<Detection> {
    this.detected ??= this.machine.detect();
    return this.detected;
  }

  override found(detection: Detection): void {
    this.detected = Promise.resolve(detection);
    super.found(detection);
    const { error, devices } = detection;
    if (devices.length > 0 || error === null || error.kind === 'no-devices') return;
    const pause = this.backoff.next();
    this.cancelLook = this.timers.after(pause, () => this.retry());
    this.enter(this.reading.status.state, {
      ...this.reading.status,
      nextTryMs: this.timers.now() + pause,
    });
  }

  override retry(): void {
    this.detected = null;
    super.retry();
  }

  protected begin(): void {
    this.enter('connecting');
    this.reader = new MachineReader(this.machine, this);
    this.reader.start(this.detection());
  }

  protected end(): void {
    this.cancelLook();
    this.reader?.stop();
    this.reader = null;
    this.settle();
  }
}

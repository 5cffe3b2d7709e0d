import type { Advice } from '../../core/advice/advice';
import { Advisor, watchedDevice } from '../../gpu/advisor';
import type { HostReading } from '../../gpu/fleet';
import { RingHistory } from '../../gpu/history';
import type { Timers } from '../../gpu/timers';

/** Advice with its GPU. */
interface GpuAdvice extends Omit<Advice, 'fix'> {
  readonly host: string;
  /** The device's key. */
  readonly key: string;
  readonly index: number;
}

/** The panel's advice on GPUs for a terminal: it keeps the readings that advice is based on. */
export class WatchedAdvice {
  private readonly advisor = new Advisor();
  private readonly history = new RingHistory();

  constructor(private readonly timers: Timers) {}

  note(reading: HostReading): void {
    this.history.add(reading.host.id, reading.samples);
    this.advisor.note(reading.host.id, reading, this.timers.now());
  }

  of(reading: HostReading): readonly GpuAdvice[] {
    const { host, status, devices } = reading;
    if (status.state !== 'live') return [];
    return devices.flatMap(device =>
      this.advisor
        .advise(host.id, watchedDevice(reading, device), this.history, this.timers.now())
        .map(({ rule, severity, message, signal, source }) => ({
          ...{ host: host.id, key: device.key, index: device.index },
          ...{ rule, severity, message, signal, source },
        })),
    );
  }
}

/** `GPU 0: a larger batch would use both. Seen: utilization 38 % …`. */
export const adviceText = ({ index, message, signal }: GpuAdvice): string =>
  `GPU ${index}: ${message} Seen: ${signal}.`;

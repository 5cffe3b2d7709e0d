import type { HostReading, HostWatch } from '../gpu/fleet';
import type { Disposable } from '../host/disposables';

/** Readings of many hosts arrive separately; those within this time update the meter once. */
const TOGETHER_MS = 100;

/** Reads hosts while the window has attention, and also shows readings that others requested. */
export class MeterReading implements Disposable {
  private readonly unsubscribes: readonly (() => void)[];
  private releases: readonly (() => void)[] = [];
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly watched: readonly HostWatch[],
    private readonly all: readonly HostWatch[],
    private readonly show: (readings: readonly HostReading[]) => void,
  ) {
    this.unsubscribes = all.map(watch => watch.on(reading => this.onReading(reading)));
  }

  /** Starts or stops reading. */
  pay(attention: boolean): void {
    if (!attention) this.rest();
    else if (this.releases.length === 0) this.releases = this.watched.map(watch => watch.hold());
  }

  /** Shows the latest readings. */
  update(): void {
    const known = this.all.map(({ reading }) => reading).filter(reading => this.isConclusive(reading));
    if (known.length > 0) this.show(known);
  }

  dispose(): void {
    for (const unsubscribe of this.unsubscribes) unsubscribe();
    if (this.timer) clearTimeout(this.timer);
    this.rest();
  }

  private onReading(reading: HostReading): void {
    if (!this.isConclusive(reading)) return;
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.update();
    }, TOGETHER_MS);
  }

  /** While a host connects or pauses, its last readings stay; hosts that were never read are omitted. */
  private isConclusive({ host, status: { state }, devices }: HostReading): boolean {
    const isBeginning = state === 'idle' || state === 'connecting';
    const isWatched = this.watched.some(watch => watch.host.id === host.id);
    return isBeginning ? devices.length > 0 : isWatched || devices.length > 0;
  }

  private rest(): void {
    for (const release of this.releases) release();
    this.releases = [];
  }
}

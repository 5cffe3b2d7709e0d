import type { Ledger, Storage } from '../ledger';
import { COMMUNICATION } from '../terms';

/** What outlives its use to the end of backward, because someone holds a handle on it. */
export class Kept {
  private readonly storages: Storage[] = [];
  private gradient: Storage | null = null;
  private forNow: Storage | null = null;

  constructor(private readonly ledger: Ledger) {}

  keep(storage: Storage): void {
    storage.owners += 1;
    storage.lasting = true;
    this.storages.push(storage);
  }

  /**
   * Each layer's own gradient is kept: what arrives at the layer below. What arrives at the uppermost is not, but equal
   * layers are walked as one, so it was counted with theirs: below them one goes.
   */
  keepGradient(storage: Storage): void {
    if (this.gradient !== null && this.gradient.copies > 1) this.ledger.releaseOne(this.gradient);
    this.gradient = storage;
    this.keep(storage);
  }

  /** Until backward comes to the first layer, or the end. */
  keepForNow(bytes: number): void {
    this.forNow ??= bytes > 0 ? this.ledger.allocate(bytes, COMMUNICATION) : null;
  }

  backwardBegins(): void {
    if (this.forNow) this.ledger.release(this.forNow);
    this.forNow = null;
  }

  release(): void {
    this.backwardBegins();
    for (const storage of this.storages) this.ledger.release(storage);
    this.storages.length = 0;
    this.gradient = null;
  }
}

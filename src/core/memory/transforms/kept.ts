import type { Ledger, Storage } from '../ledger';
import { COMMUNICATION } from '../terms';

/** Tensors that live to the end of backward because something holds a handle on them. */
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
   * The gradient of each layer's output is kept until the layer below receives it. The uppermost layer's is not,
   * but equal layers are walked as one, so it was counted with theirs: subtracts one below them.
   */
  keepGradient(storage: Storage): void {
    if (this.gradient !== null && this.gradient.copies > 1) this.ledger.releaseOne(this.gradient);
    this.gradient = storage;
    this.keep(storage);
  }

  /** Kept until backward reaches the first layer, or ends. */
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

import type { Storage } from '../ledger';
import type { Costly, MakeOutput, Tape } from '../tape';

/**
 * Selective checkpointing by operation: keeps outputs of attention, of reductions and of every second matrix
 * product, and returns them when the body runs again (torch.utils.checkpoint, create_selective_checkpoint_contexts;
 * torchtitan's policy, distributed/activation_checkpoint.py: "save all compute ops, except every second mm").
 */
export class Selection {
  private readonly kept: (Storage | null)[] = [];
  private products = 0;
  private replayed = 0;

  constructor(private readonly tape: Tape) {}

  /** The body's first run. */
  record<R>(body: () => R): R {
    return this.with((kind, elements, dtype, node) => {
      const tensor = this.tape.empty(elements, dtype, node);
      const keeps = this.keeps(kind);
      if (keeps) tensor.storage.owners += 1;
      this.kept.push(keeps ? tensor.storage : null);
      return tensor;
    }, body);
  }

  /** Its second run: passes kept outputs on, and frees those that nothing needs. */
  replay<R>(body: () => R): R {
    const result = this.with((_, elements, dtype, node) => {
      const storage = this.kept[this.replayed] ?? null;
      this.kept[this.replayed] = null;
      this.replayed += 1;
      if (storage === null) return this.tape.empty(elements, dtype, node);
      this.tape.ledger.meter.isKept = true;
      return { storage, elements, dtype, node, slot: 0, holders: 0 };
    }, body);
    for (const storage of this.kept) if (storage) this.tape.ledger.release(storage);
    return result;
  }

  private with<R>(make: MakeOutput, body: () => R): R {
    const { tape } = this;
    const outer = tape.makeOutput;
    tape.makeOutput = make;
    const result = body();
    tape.makeOutput = outer;
    return result;
  }

  private keeps(kind: Costly): boolean {
    if (kind !== 'product') return true;
    this.products += 1;
    return this.products % 2 === 1;
  }
}

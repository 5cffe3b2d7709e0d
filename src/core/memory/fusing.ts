import type { Ledger, Storage } from './ledger';
import type { LinearShape } from './modules';
import { weightFormat } from './quantization';
import type { MemoryRun } from './run';
import { WEIGHTS } from './terms';

/** Weights that a framework puts together as it loads them exist twice until all are (AutoAWQ, fuse_qkv). */
export class Fusing {
  private readonly spare: Storage[] = [];

  constructor(
    private readonly ledger: Ledger,
    private readonly run: MemoryRun,
  ) {}

  fuse(shapes: readonly LinearShape[], copies: number): void {
    const {
      numbers: { quantization },
      behavior,
    } = this.run;
    if (!behavior.fusesWhileLoading || shapes.length < 2 || quantization === null) return;
    for (const { outputs, inputs } of shapes) {
      for (const bytes of weightFormat(quantization).parts(outputs, inputs)) {
        this.spare.push(this.ledger.place(bytes, WEIGHTS, copies));
      }
    }
  }

  /** Loading is over. */
  settle(): void {
    for (const storage of this.spare) this.ledger.release(storage);
    this.spare.length = 0;
  }
}

import { NONE, widened } from './blockTable';
import type { Block } from './blockTable';
import type { BlockId } from './journal';

/** The blocks that are alive of each id, youngest first. */
export class Alive {
  private readonly youngest: Int32Array;
  /** By block: the next older one of the same id. */
  private elder = new Int32Array(1024);

  constructor(ids: number) {
    this.youngest = new Int32Array(ids).fill(NONE);
  }

  push(id: BlockId, block: Block): void {
    if (block >= this.elder.length) {
      this.elder = widened(this.elder, new Int32Array(Math.max(block + 1, this.elder.length * 2)));
    }
    this.elder[block] = this.youngest[id] ?? NONE;
    this.youngest[id] = block;
  }

  pop(id: BlockId): Block {
    const block = this.youngest[id] ?? NONE;
    if (block !== NONE) this.youngest[id] = this.elder[block] ?? NONE;
    return block;
  }
}

import { indexAt, NONE, widened } from './blockTable';
import type { Block } from './blockTable';

/** A block's id in a journal. */
export type BlockId = number;

/** The live blocks of each id, youngest first. */
export class Alive {
  private youngest = new Int32Array(1024);
  /** By block: the next older one with the same id. */
  private elder = new Int32Array(1024);

  constructor(ids: number) {
    this.begin(ids);
  }

  /** Resets to nothing alive. */
  begin(ids: number): void {
    if (ids > this.youngest.length) this.youngest = new Int32Array(ids);
    this.youngest.fill(NONE, 0, ids);
  }

  push(id: BlockId, block: Block): void {
    if (block >= this.elder.length) {
      this.elder = widened(this.elder, new Int32Array(Math.max(block + 1, this.elder.length * 2)));
    }
    this.elder[block] = indexAt(this.youngest, id);
    this.youngest[id] = block;
  }

  pop(id: BlockId): Block {
    const block = indexAt(this.youngest, id);
    if (block !== NONE) this.youngest[id] = indexAt(this.elder, block);
    return block;
  }
}

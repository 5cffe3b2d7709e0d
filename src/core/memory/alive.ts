import { indexAt, NONE, widened } from './blockTable';
import type { Block } from './blockTable';

/** A block's id in a journal. */
export type BlockId = number;

/** The live blocks of each id, youngest first. */
export class Alive {
  private newest = new Int32Array(1024);
  /** By block: the next older one with the same id. */
  private older = new Int32Array(1024);

  constructor(ids: number) {
    this.begin(ids);
  }

  /** Resets to nothing alive. */
  begin(ids: number): void {
    if (ids > this.newest.length) this.newest = new Int32Array(ids);
    this.newest.fill(NONE, 0, ids);
  }

  push(id: BlockId, block: Block): void {
    if (block >= this.older.length) {
      this.older = widened(this.older, new Int32Array(Math.max(block + 1, this.older.length * 2)));
    }
    this.older[block] = indexAt(this.newest, id);
    this.newest[id] = block;
  }

  pop(id: BlockId): Block {
    const block = indexAt(this.newest, id);
    if (block !== NONE) this.newest[id] = indexAt(this.older, block);
    return block;
  }
}

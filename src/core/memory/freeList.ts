import { NONE, widened } from './blockTable';
import type { Block, BlockTable } from './blockTable';

/** Below this a loop moves faster than a call. */
const FEW = 16;

/** Free blocks by size, then by place. */
export class FreeList {
  private blocks = new Int32Array(64);
  private length = 0;

  constructor(private readonly table: BlockTable) {}

  /** The smallest block that is large enough, of equal ones the first by place; NONE when there is none. */
  take(bytes: number): Block {
    const at = this.indexOf(bytes, -1);
    if (at === this.length) return NONE;
    const block = this.blocks[at] ?? NONE;
    this.close(at);
    return block;
  }

  add(block: Block): void {
    const at = this.indexOf(this.table.sizeOf(block), this.table.placeOf(block));
    if (this.length === this.blocks.length) {
      this.blocks = widened(this.blocks, new Int32Array(this.length * 2));
    }
    const { blocks, length } = this;
    if (length - at > FEW) blocks.copyWithin(at + 1, at, length);
    else for (let i = length; i > at; i--) blocks[i] = blocks[i - 1] ?? NONE;
    blocks[at] = block;
    this.length = length + 1;
  }

  remove(block: Block): void {
    this.close(this.indexOf(this.table.sizeOf(block), this.table.placeOf(block)));
  }

  private close(at: number): void {
    const { blocks, length } = this;
    if (length - at > FEW) blocks.copyWithin(at, at + 1, length);
    else for (let i = at + 1; i < length; i++) blocks[i - 1] = blocks[i] ?? NONE;
    this.length = length - 1;
  }

  /** The first index that is not before this size and place. */
  private indexOf(bytes: number, at: number): number {
    const { blocks } = this;
    const { size, place } = this.table;
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const block = blocks[middle] ?? NONE;
      const has = size[block] ?? 0;
      if (has < bytes || (has === bytes && (place[block] ?? 0) < at)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

import { indexAt, LEAST_BYTES, NONE, realAt, widened } from './blockTable';
import type { Block, BlockTable } from './blockTable';

/** Up to this length, linear search beats bisection, and a loop moves items faster than a call. */
const FEW = 24;

/**
 * One of an allocator's pools: its free blocks by size, then by place, and the growing segment. Sizes are stored
 * next to the blocks, because most searches need nothing else.
 */
export class Pool {
  /** Number of free blocks. */
  length = 0;
  /** The rest of a block is split off if it is at least this large. */
  leastRest = LEAST_BYTES;
  /** The last block of the growing segment; none if it is permanently in use. */
  tail: Block = NONE;
  /** The end of that segment; 0 without one. */
  end = 0;
  private blocks = new Int32Array(64);
  private sizes = new Float64Array(64);

  constructor(
    private readonly table: BlockTable,
    readonly number: number,
  ) {}

  /** Resets to no segment. */
  begin(leastRest: number): void {
    this.length = 0;
    this.leastRest = leastRest;
    this.tail = NONE;
    this.end = 0;
  }

  blockAt(at: number): Block {
    return indexAt(this.blocks, at);
  }

  sizeAt(at: number): number {
    return realAt(this.sizes, at);
  }

  /** Index of the smallest block that is large enough, by place among equals; `length` if there is none. */
  find(bytes: number): number {
    const { sizes, length } = this;
    if (length > FEW) return this.halved(bytes, NONE);
    let at = 0;
    while (at < length && realAt(sizes, at) < bytes) at++;
    return at;
  }

  /** Index of a block with unchanged size and place. */
  indexOf(block: Block): number {
    const { blocks, length, table } = this;
    if (length > FEW) return this.halved(realAt(table.size, block), realAt(table.place, block));
    let at = 0;
    while (at < length && blocks[at] !== block) at++;
    return at;
  }

  add(block: Block): void {
    if (this.length === this.blocks.length) this.widen();
    this.sink(this.length, block);
    this.length += 1;
  }

  removeAt(at: number): void {
    this.length -= 1;
    this.close(at, this.length);
  }

  /**
   * Moves a block to its position, here or before; the slot here is empty, or had this block when it was larger.
   */
  sink(here: number, block: Block): void {
    const { blocks, sizes, table } = this;
    const size = realAt(table.size, block);
    const place = realAt(table.place, block);
    let at = here;
    if (here > FEW) {
      at = this.halved(size, place);
      blocks.copyWithin(at + 1, at, here);
      sizes.copyWithin(at + 1, at, here);
    }
    while (at > 0 && this.isAfter(at - 1, size, place)) {
      sizes[at] = realAt(sizes, at - 1);
      blocks[at] = indexAt(blocks, at - 1);
      at--;
    }
    sizes[at] = size;
    blocks[at] = block;
  }

  /** Moves a block to its position, here or after; the block here was merged into it. */
  rise(here: number, block: Block): void {
    const { blocks, sizes, table, length } = this;
    const size = realAt(table.size, block);
    const place = realAt(table.place, block);
    let at = here;
    if (length - here > FEW) {
      at = this.halved(size, place) - 1;
      this.close(here, at);
    }
    while (at + 1 < length && !this.isAfter(at + 1, size, place)) {
      sizes[at] = realAt(sizes, at + 1);
      blocks[at] = indexAt(blocks, at + 1);
      at++;
    }
    sizes[at] = size;
    blocks[at] = block;
  }

  private isAfter(at: number, size: number, place: number): boolean {
    const has = realAt(this.sizes, at);
    return has > size || (has === size && realAt(this.table.place, indexAt(this.blocks, at)) > place);
  }

  /** The first index that is not before this size and place. */
  private halved(size: number, place: number): number {
    const { blocks, sizes, table } = this;
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const has = realAt(sizes, middle);
      const isBefore = has < size || (has === size && realAt(table.place, indexAt(blocks, middle)) < place);
      if (isBefore) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Shifts the items after one index, up to another, by one. */
  private close(here: number, last: number): void {
    const { blocks, sizes } = this;
    if (last - here > FEW) {
      blocks.copyWithin(here, here + 1, last + 1);
      sizes.copyWithin(here, here + 1, last + 1);
      return;
    }
    for (let at = here; at < last; at++) {
      blocks[at] = indexAt(blocks, at + 1);
      sizes[at] = realAt(sizes, at + 1);
    }
  }

  private widen(): void {
    this.blocks = widened(this.blocks, new Int32Array(this.length * 2));
    this.sizes = widened(this.sizes, new Float64Array(this.length * 2));
  }
}

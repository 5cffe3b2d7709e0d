/** A number of a column; the caller stays within its length. */
export const realAt = (column: Float64Array, at: number): number => column[at] ?? 0;

export const indexAt = (column: Int32Array, at: number): number => column[at] ?? 0;

/** A wider column with the same content at the beginning. */
export function widened<T extends Float64Array | Int32Array | Uint8Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

/** A piece of a segment, by its number in the table. */
export type Block = number;

/** No block. */
export const NONE = -1;

/** The smallest block; the unit of places. */
export const LEAST_BYTES = 512;

const FIRST_CAPACITY = 1024;

/**
 * Blocks as a table of columns with reused numbers: a replay creates and merges tens of thousands, and collecting
 * them as objects would cost more than the replay.
 */
export class BlockTable {
  /** Bytes. */
  size = new Float64Array(FIRST_CAPACITY);
  /** Order of the segment, then the place in it: sorts free blocks of equal size. */
  place = new Float64Array(FIRST_CAPACITY);
  /** Neighbors in the segment; none at its ends, and next to memory that stays in use. */
  previous = new Int32Array(FIRST_CAPACITY);
  next = new Int32Array(FIRST_CAPACITY);
  isFree = new Uint8Array(FIRST_CAPACITY);
  /** Bytes beyond the requested ones, while in use. */
  rest = new Float64Array(FIRST_CAPACITY);
  /** The pool of its segment, as numbered by the allocator. */
  pool = new Uint8Array(FIRST_CAPACITY);
  private count = 0;
  /** Head of the list of unused numbers, which are linked as neighbors. */
  private spare: Block = NONE;

  clear(): void {
    this.count = 0;
    this.spare = NONE;
  }

  make(size: number, place: number, pool: number): Block {
    const block = this.numberForOne();
    this.size[block] = size;
    this.place[block] = place;
    this.previous[block] = NONE;
    this.next[block] = NONE;
    this.isFree[block] = 0;
    this.rest[block] = 0;
    this.pool[block] = pool;
    return block;
  }

  /** Splits off the first `bytes` as a separate block. */
  splitFront(block: Block, bytes: number): Block {
    const front = this.numberForOne();
    const { size, place, previous, next } = this;
    const before = indexAt(previous, block);
    const from = realAt(place, block);
    size[front] = bytes;
    place[front] = from;
    previous[front] = before;
    next[front] = block;
    this.isFree[front] = 0;
    this.rest[front] = 0;
    this.pool[front] = this.pool[block] ?? 0;
    if (before !== NONE) next[before] = front;
    previous[block] = front;
    size[block] = realAt(size, block) - bytes;
    place[block] = from + bytes / LEAST_BYTES;
    return front;
  }

  /** The first `bytes` stay in use permanently and need no number. */
  dropFront(block: Block, bytes: number): void {
    const { size, place, previous } = this;
    const before = indexAt(previous, block);
    if (before !== NONE) this.next[before] = NONE;
    previous[block] = NONE;
    size[block] = realAt(size, block) - bytes;
    place[block] = realAt(place, block) + bytes / LEAST_BYTES;
  }

  /** The whole block stays in use permanently. */
  drop(block: Block): void {
    this.link(indexAt(this.previous, block), NONE);
    this.link(NONE, indexAt(this.next, block));
    this.discard(block);
  }

  /** `second` follows `first`, is merged into it, and is removed. */
  merge(first: Block, second: Block): void {
    const { size, next } = this;
    const after = indexAt(next, second);
    size[first] = realAt(size, first) + realAt(size, second);
    next[first] = after;
    if (after !== NONE) this.previous[after] = first;
    this.discard(second);
  }

  /** Links two neighbors, if they are blocks. */
  link(first: Block, second: Block): void {
    if (first !== NONE) this.next[first] = second;
    if (second !== NONE) this.previous[second] = first;
  }

  private discard(block: Block): void {
    this.next[block] = this.spare;
    this.spare = block;
  }

  private numberForOne(): Block {
    const block = this.spare;
    if (block !== NONE) {
      this.spare = indexAt(this.next, block);
      return block;
    }
    if (this.count === this.size.length) this.widen();
    return this.count++;
  }

  private widen(): void {
    const capacity = this.size.length * 2;
    this.size = widened(this.size, new Float64Array(capacity));
    this.place = widened(this.place, new Float64Array(capacity));
    this.previous = widened(this.previous, new Int32Array(capacity));
    this.next = widened(this.next, new Int32Array(capacity));
    this.isFree = widened(this.isFree, new Uint8Array(capacity));
    this.rest = widened(this.rest, new Float64Array(capacity));
    this.pool = widened(this.pool, new Uint8Array(capacity));
  }
}

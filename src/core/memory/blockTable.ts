/** A piece of a segment: its number in the table. */
export type Block = number;

/** No block. */
export const NONE = -1;

const FIRST_CAPACITY = 1024;

/**
 * Blocks as a table of columns, numbers used again: a replay makes and merges tens of thousands of them, which as
 * objects would cost more to collect than to play.
 */
export class BlockTable {
  /** Bytes. */
  size = new Float64Array(FIRST_CAPACITY);
  /** Segments in the order in which they were made, then the place in one: free blocks of one size go by it. */
  place = new Float64Array(FIRST_CAPACITY);
  /** Neighbours in the segment. */
  previous = new Int32Array(FIRST_CAPACITY);
  next = new Int32Array(FIRST_CAPACITY);
  isFree = new Uint8Array(FIRST_CAPACITY);
  /** Bytes that were asked for, while in use. */
  asked = new Float64Array(FIRST_CAPACITY);
  /** Of which pool its segment is: a number that the allocator gives. */
  pool = new Uint8Array(FIRST_CAPACITY);
  private count = 0;
  private readonly spare: Block[] = [];

  make(size: number, place: number, pool: number): Block {
    const block = this.spare.pop() ?? this.count++;
    if (block === this.size.length) this.widen();
    this.size[block] = size;
    this.place[block] = place;
    this.previous[block] = NONE;
    this.next[block] = NONE;
    this.isFree[block] = 0;
    this.pool[block] = pool;
    return block;
  }

  sizeOf(block: Block): number {
    return this.size[block] ?? 0;
  }

  placeOf(block: Block): number {
    return this.place[block] ?? 0;
  }

  /** `second` follows `first`, becomes part of it and is no more. */
  merge(first: Block, second: Block): void {
    this.size[first] = this.sizeOf(first) + this.sizeOf(second);
    this.link(first, this.next[second] ?? NONE);
    this.spare.push(second);
  }

  /** Makes `second`, if there is one, follow `first`. */
  link(first: Block, second: Block): void {
    this.next[first] = second;
    if (second !== NONE) this.previous[second] = first;
  }

  private widen(): void {
    this.size = widened(this.size, new Float64Array(this.size.length * 2));
    this.place = widened(this.place, new Float64Array(this.place.length * 2));
    this.previous = widened(this.previous, new Int32Array(this.previous.length * 2));
    this.next = widened(this.next, new Int32Array(this.next.length * 2));
    this.isFree = widened(this.isFree, new Uint8Array(this.isFree.length * 2));
    this.asked = widened(this.asked, new Float64Array(this.asked.length * 2));
    this.pool = widened(this.pool, new Uint8Array(this.pool.length * 2));
  }
}

/** A wider column with the same beginning. */
export function widened<T extends Float64Array | Int32Array | Uint8Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

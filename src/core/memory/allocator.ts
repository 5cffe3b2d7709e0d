const MIB = 2 ** 20;

/** Blocks up to this size come from small segments (c10/cuda/CUDACachingAllocator.cpp, kSmallSize). */
const SMALL = MIB;
/** kSmallBuffer, kLargeBuffer, kMinLargeAlloc, kRoundLarge. */
const SMALL_SEGMENT = 2 * MIB;
const LARGE_SEGMENT = 20 * MIB;
const LARGE_ALLOCATION = 10 * MIB;
const ROUNDING = 2 * MIB;
/** What is left over of a block is split off when it is at least this; in large segments when it is no small block. */
const LEAST_REST = 512;

/** A piece of a segment. */
export interface Block {
  size: number;
  free: boolean;
  /** Segments in the order in which they were made, and the place in one: free blocks of one size go by it. */
  readonly segment: number;
  readonly offset: number;
  readonly pool: Pool;
  previous: Block | null;
  next: Block | null;
  /** For whoever holds the block. */
  below: Block | null;
}

/** Free blocks by size, then by place. */
type Pool = Block[];

/**
 * Torch's caching allocator: rounds to segments, takes the smallest free block that is large enough, splits and merges.
 * `reserved` is what torch.cuda.memory_reserved says. With expandable segments each pool is one segment that grows.
 */
export class CachingAllocator {
  reserved = 0;
  private readonly small: Pool = [];
  private readonly large: Pool = [];
  private readonly tails = new Map<Pool, Block>();
  private segments = 0;

  constructor(private readonly expandable: boolean) {}

  allocate(bytes: number): Block {
    const isSmall = bytes <= SMALL;
    const pool = isSmall ? this.small : this.large;
    const at = placeOf(pool, bytes, -1, -1);
    const fitting = pool[at];
    if (fitting) pool.splice(at, 1);
    const block = fitting ?? this.grow(pool, bytes);
    const rest = block.size - bytes;
    if (isSmall || this.expandable ? rest >= LEAST_REST : rest > SMALL) this.splitOff(block, bytes, rest);
    block.free = false;
    return block;
  }

  release(block: Block): void {
    const { pool, next, previous } = block;
    if (next?.free) {
      remove(pool, next);
      this.merge(block, next);
    }
    const merged = previous?.free ? previous : block;
    if (merged !== block) {
      remove(pool, merged);
      this.merge(merged, block);
    }
    merged.free = true;
    insert(pool, merged);
  }

  /** A block of a new segment, or at the end of the one that can grow. */
  private grow(pool: Pool, bytes: number): Block {
    const tail = this.expandable ? (this.tails.get(pool) ?? null) : null;
    const granule = bytes <= SMALL ? SMALL_SEGMENT : LARGE_SEGMENT;
    const wanted = tail?.free ? bytes - tail.size : bytes;
    const size = this.expandable ? up(wanted, granule) : segmentSize(bytes);
    this.reserved += size;
    if (tail?.free) {
      remove(pool, tail);
      tail.size += size;
      return tail;
    }
    if (tail === null) this.segments += 1;
    const offset = tail ? tail.offset + tail.size : 0;
    const block = blockOf(pool, size, this.segments, offset);
    block.previous = tail;
    if (tail) tail.next = block;
    this.tails.set(pool, block);
    return block;
  }

  private splitOff(block: Block, bytes: number, rest: number): void {
    const { segment, offset, pool, next } = block;
    const remainder = blockOf(pool, rest, segment, offset + bytes);
    remainder.previous = block;
    remainder.next = next;
    if (next) next.previous = remainder;
    else this.tails.set(pool, remainder);
    block.next = remainder;
    block.size = bytes;
    insert(pool, remainder);
  }

  /** `second` follows `first` and becomes part of it. */
  private merge(first: Block, second: Block): void {
    first.size += second.size;
    first.next = second.next;
    if (second.next) second.next.previous = first;
    else this.tails.set(first.pool, first);
  }
}

function blockOf(pool: Pool, size: number, segment: number, offset: number): Block {
  return { size, free: true, segment, offset, pool, previous: null, next: null, below: null };
}

const up = (bytes: number, granule: number): number => Math.ceil(bytes / granule) * granule;

function segmentSize(bytes: number): number {
  if (bytes <= SMALL) return SMALL_SEGMENT;
  return bytes < LARGE_ALLOCATION ? LARGE_SEGMENT : up(bytes, ROUNDING);
}

function insert(pool: Pool, block: Block): void {
  pool.splice(placeOf(pool, block.size, block.segment, block.offset), 0, block);
}

function remove(pool: Pool, block: Block): void {
  pool.splice(placeOf(pool, block.size, block.segment, block.offset), 1);
}

/** The first place in a pool that is not before this size and place. */
function placeOf(pool: Pool, size: number, segment: number, offset: number): number {
  let low = 0;
  let high = pool.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const block = pool[middle];
    if (block && isBefore(block, size, segment, offset)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isBefore(block: Block, size: number, segment: number, offset: number): boolean {
  if (block.size !== size) return block.size < size;
  return block.segment === segment ? block.offset < offset : block.segment < segment;
}

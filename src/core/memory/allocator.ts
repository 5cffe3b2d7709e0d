import { BlockTable, NONE } from './blockTable';
import type { Block } from './blockTable';
import { FreeList } from './freeList';
import { COMPUTE } from './cudaStreams';
import type { Stream } from './cudaStreams';

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
/** Between the places of two segments: more than the largest has of the smallest blocks. */
const SEGMENT_PLACES = 2 ** 31;

/** Free blocks of one stream and size, and the end of the segment that can grow. */
interface Pool {
  readonly number: number;
  readonly free: FreeList;
  tail: Block;
}

/**
 * Torch's caching allocator: rounds to segments, takes the smallest free block that is large enough, splits and merges.
 * `reserved` is what torch.cuda.memory_reserved says. With expandable segments each pool is one segment that grows.
 */
export class CachingAllocator {
  reserved = 0;
  /** The most bytes in use at once: what was asked for, and the whole blocks that it lay in. */
  readonly peak = { asked: 0, allocated: 0 };
  private asked = 0;
  private allocated = 0;
  readonly table = new BlockTable();
  /** For each stream one for large blocks and one for small ones. */
  private readonly pools: Pool[] = [];
  private segments = 0;

  constructor(private readonly expandable: boolean) {}

  /** A block of at least so many bytes, a multiple of 512, for work in this stream: others do not get its memory. */
  allocate(bytes: number, stream: Stream = COMPUTE): Block {
    const isSmall = bytes <= SMALL;
    const pool = this.poolOf(2 * stream + (isSmall ? 1 : 0));
    const found = pool.free.take(bytes);
    const block = found === NONE ? this.grow(pool, bytes) : found;
    const rest = this.table.sizeOf(block) - bytes;
    if (isSmall || this.expandable ? rest >= LEAST_REST : rest > SMALL) this.splitOff(pool, block, rest);
    this.table.isFree[block] = 0;
    this.count(block, bytes);
    return block;
  }

  private count(block: Block, bytes: number): void {
    const { table, peak } = this;
    table.asked[block] = bytes;
    this.asked += bytes;
    this.allocated += table.sizeOf(block);
    if (this.asked > peak.asked) peak.asked = this.asked;
    if (this.allocated > peak.allocated) peak.allocated = this.allocated;
  }

  release(block: Block): void {
    const { table } = this;
    this.asked -= table.asked[block] ?? 0;
    this.allocated -= table.sizeOf(block);
    const pool = this.poolOf(table.pool[block] ?? 0);
    const next = table.next[block] ?? NONE;
    if (next !== NONE && table.isFree[next]) {
      pool.free.remove(next);
      this.merge(pool, block, next);
    }
    const previous = table.previous[block] ?? NONE;
    const merges = previous !== NONE && table.isFree[previous] === 1;
    if (merges) {
      pool.free.remove(previous);
      this.merge(pool, previous, block);
    }
    const merged = merges ? previous : block;
    table.isFree[merged] = 1;
    pool.free.add(merged);
  }

  private poolOf(number: number): Pool {
    const known = this.pools[number];
    if (known) return known;
    const pool = { number, free: new FreeList(this.table), tail: NONE };
    this.pools[number] = pool;
    return pool;
  }

  /** A block of a new segment, or at the end of the one that can grow. */
  private grow(pool: Pool, bytes: number): Block {
    if (this.expandable && pool.tail !== NONE) return this.lengthen(pool, bytes);
    const size = this.expandable ? up(bytes, granuleOf(bytes)) : segmentSize(bytes);
    this.reserved += size;
    this.segments += 1;
    pool.tail = this.table.make(size, this.segments * SEGMENT_PLACES, pool.number);
    return pool.tail;
  }

  private lengthen(pool: Pool, bytes: number): Block {
    const { table } = this;
    const { tail } = pool;
    const spare = table.isFree[tail] ? table.sizeOf(tail) : 0;
    const size = up(bytes - spare, granuleOf(bytes));
    this.reserved += size;
    if (spare > 0) {
      pool.free.remove(tail);
      table.size[tail] = spare + size;
      return tail;
    }
    pool.tail = table.make(size, this.placeAfter(tail), pool.number);
    table.link(tail, pool.tail);
    return pool.tail;
  }

  private splitOff(pool: Pool, block: Block, rest: number): void {
    const { table } = this;
    table.size[block] = table.sizeOf(block) - rest;
    const remainder = table.make(rest, this.placeAfter(block), pool.number);
    table.isFree[remainder] = 1;
    table.link(remainder, table.next[block] ?? NONE);
    table.link(block, remainder);
    if (pool.tail === block) pool.tail = remainder;
    pool.free.add(remainder);
  }

  /** `second` follows `first` and becomes part of it. */
  private merge(pool: Pool, first: Block, second: Block): void {
    this.table.merge(first, second);
    if (pool.tail === second) pool.tail = first;
  }

  private placeAfter(block: Block): number {
    return this.table.placeOf(block) + this.table.sizeOf(block) / LEAST_REST;
  }
}

const up = (bytes: number, granule: number): number => Math.ceil(bytes / granule) * granule;

const granuleOf = (bytes: number): number => (bytes <= SMALL ? SMALL_SEGMENT : LARGE_SEGMENT);

function segmentSize(bytes: number): number {
  if (bytes <= SMALL) return SMALL_SEGMENT;
  return bytes < LARGE_ALLOCATION ? LARGE_SEGMENT : up(bytes, ROUNDING);
}

import { BlockTable, indexAt, LEAST_BYTES, NONE, realAt } from './blockTable';
import type { Block } from './blockTable';
import { Pool } from './pool';
import { COMPUTE } from './cudaStreams';
import type { Stream } from './cudaStreams';
import { MIB } from '../units';

/** Blocks up to this size come from small segments (c10/cuda/CUDACachingAllocator.cpp, kSmallSize). */
const SMALL = MIB;
/** kSmallBuffer, kLargeBuffer, kMinLargeAlloc, kRoundLarge. */
const SMALL_SEGMENT = 2 * MIB;
const LARGE_SEGMENT = 20 * MIB;
const LARGE_ALLOCATION = 10 * MIB;
const ROUNDING = 2 * MIB;
/** Distance between the places of two segments: larger than the number of smallest blocks in any segment. */
const SEGMENT_PLACES = 2 ** 31;

/**
 * Torch's caching allocator: rounds to segments, takes the smallest free block that is large enough, splits and
 * merges. `reserved` corresponds to torch.cuda.memory_reserved. With expandable segments each pool is one segment
 * that grows.
 */
export class CachingAllocator {
  reserved = 0;
  /** Peak bytes in use: as requested, and with the whole blocks that they occupy. */
  readonly peak = { asked: 0, allocated: 0 };
  private asked = 0;
  private allocated = 0;
  readonly table = new BlockTable();
  /** For each stream, one for large blocks and one for small ones. */
  private readonly pools: readonly Pool[];
  private readonly first: Pool;
  private segments = 0;
  private expandable = false;

  constructor(expandable: boolean) {
    const others = [1, 2, 3, 4, 5].map(number => new Pool(this.table, number));
    this.first = new Pool(this.table, 0);
    this.pools = [this.first, ...others];
    this.begin(expandable);
  }

  /** Resets to nothing reserved; emptying the block table is cheaper than recreating it. */
  begin(expandable: boolean): void {
    this.expandable = expandable;
    this.reserved = 0;
    this.asked = 0;
    this.allocated = 0;
    this.segments = 0;
    Object.assign(this.peak, { asked: 0, allocated: 0 });
    this.table.clear();
    for (const pool of this.pools) pool.begin(expandable || isForSmall(pool) ? LEAST_BYTES : SMALL + 1);
  }

  /**
   * A block of at least this many bytes, a multiple of 512, for work in this stream; other streams cannot use its
   * memory.
   */
  allocate(bytes: number, stream: Stream = COMPUTE): Block {
    const { table } = this;
    const pool = this.poolFor(bytes, stream);
    const at = this.roomIn(pool, bytes);
    const found = pool.blockAt(at);
    const rest = pool.sizeAt(at) - bytes;
    if (rest >= pool.leastRest) {
      this.count(bytes, 0);
      const block = table.splitFront(found, bytes);
      pool.sink(at, found);
      return block;
    }
    this.count(bytes, rest);
    pool.removeAt(at);
    table.isFree[found] = 0;
    table.rest[found] = rest;
    return found;
  }

  /** The same for memory that is never released. */
  allocateForGood(bytes: number, stream: Stream = COMPUTE): void {
    const { table } = this;
    const pool = this.poolFor(bytes, stream);
    const at = this.roomIn(pool, bytes);
    const found = pool.blockAt(at);
    const rest = pool.sizeAt(at) - bytes;
    if (rest >= pool.leastRest) {
      this.count(bytes, 0);
      table.dropFront(found, bytes);
      pool.sink(at, found);
      return;
    }
    this.count(bytes, rest);
    pool.removeAt(at);
    table.drop(found);
    if (pool.tail === found) pool.tail = NONE;
  }

  release(block: Block): void {
    const { table } = this;
    const { isFree } = table;
    const size = realAt(table.size, block);
    this.asked -= size - realAt(table.rest, block);
    this.allocated -= size;
    const pool = this.poolOf(table.pool[block] ?? 0);
    const after = indexAt(table.next, block);
    const before = indexAt(table.previous, block);
    const endsInFree = after !== NONE && isFree[after] === 1;
    if (before !== NONE && isFree[before] === 1) {
      if (endsInFree) {
        pool.removeAt(pool.indexOf(after));
        this.merge(pool, block, after);
      }
      const at = pool.indexOf(before);
      this.merge(pool, before, block);
      pool.rise(at, before);
      return;
    }
    isFree[block] = 1;
    if (endsInFree) {
      const at = pool.indexOf(after);
      this.merge(pool, block, after);
      pool.rise(at, block);
    } else pool.add(block);
  }

  private count(bytes: number, rest: number): void {
    const { peak } = this;
    this.asked += bytes;
    this.allocated += bytes + rest;
    if (this.asked > peak.asked) peak.asked = this.asked;
    if (this.allocated > peak.allocated) peak.allocated = this.allocated;
  }

  private poolFor(bytes: number, stream: Stream): Pool {
    return this.poolOf(2 * stream + (bytes <= SMALL ? 1 : 0));
  }

  private poolOf(number: number): Pool {
    return this.pools[number] ?? this.first;
  }

  /** Index of the best-fitting free block; grows the pool if there is none. */
  private roomIn(pool: Pool, bytes: number): number {
    const at = pool.find(bytes);
    if (at < pool.length) return at;
    if (this.expandable) this.lengthen(pool, bytes);
    else this.addSegment(pool, segmentSize(bytes));
    return pool.length - 1;
  }

  /** Adds a segment, all of it free. */
  private addSegment(pool: Pool, size: number): void {
    this.segments += 1;
    this.addFree(pool, size, this.segments * SEGMENT_PLACES);
  }

  /** Extends the growing segment at its end. */
  private lengthen(pool: Pool, bytes: number): void {
    const { table } = this;
    const { tail } = pool;
    const spare = tail !== NONE && table.isFree[tail] === 1 ? realAt(table.size, tail) : 0;
    const more = up(bytes - spare, isForSmall(pool) ? SMALL_SEGMENT : LARGE_SEGMENT);
    if (pool.end === 0) {
      this.segments += 1;
      pool.end = this.segments * SEGMENT_PLACES;
    }
    if (spare > 0) {
      const at = pool.indexOf(tail);
      this.reserved += more;
      table.size[tail] = spare + more;
      pool.rise(at, tail);
    } else {
      pool.tail = this.addFree(pool, more, pool.end);
      table.link(tail, pool.tail);
    }
    pool.end += more / LEAST_BYTES;
  }

  private addFree(pool: Pool, size: number, place: number): Block {
    const { table } = this;
    this.reserved += size;
    const block = table.make(size, place, pool.number);
    table.isFree[block] = 1;
    pool.add(block);
    return block;
  }

  /** `second` follows `first` and is merged into it. */
  private merge(pool: Pool, first: Block, second: Block): void {
    this.table.merge(first, second);
    if (pool.tail === second) pool.tail = first;
  }
}

const isForSmall = ({ number }: Pool): boolean => number % 2 === 1;

const up = (bytes: number, granule: number): number => Math.ceil(bytes / granule) * granule;

function segmentSize(bytes: number): number {
  if (bytes <= SMALL) return SMALL_SEGMENT;
  return bytes < LARGE_ALLOCATION ? LARGE_SEGMENT : up(bytes, ROUNDING);
}

import type { BlockId } from './alive';
import type { Alive } from './alive';
import type { CachingAllocator } from './allocator';
import { NONE } from './blockTable';
import { COMPUTE } from './cudaStreams';
import type { Stream } from './cudaStreams';

/** The id of a block that was not recorded. */
export const NOT_NOTED = -1;

/**
 * Events from `from` to before `to`, repeated `times`. Outputs of an iteration are inputs of the next: the n-th
 * output becomes the n-th input.
 */
interface Section {
  readonly times: number;
  readonly from: number;
  to: number;
  inputs: readonly BlockId[];
  outputs: readonly BlockId[];
  /** Its events without blocks that begin and end in one round; computed lazily. */
  lasting: readonly number[] | null;
}

/**
 * Rounds of a long replay that are played in full: the first three, those whose number is a power of two, and the
 * last two. Of the others, only blocks that outlive the round: 244 simulated runs stretched to 32 and 80 layers
 * then differ in reserved memory by 0.2 % in the median, 2.4 % at the ninetieth percentile, with half of the
 * events.
 */
const FIRST_ROUNDS = 3;
const LAST_ROUNDS = 2;
/** A replay with more events is long. */
const LONG = 8000;

/**
 * The order of allocations and releases, with equal repetitions recorded once. A block that was created in a
 * repetition exists once per round; releases take the youngest, because backward reverses forward.
 */
export class Journal {
  /** A block's id for an allocation, its complement for a release. */
  private readonly events: number[] = [];
  private readonly bytes: number[] = [];
  private readonly streams: Stream[] = [];
  /** The stream of new allocations. */
  stream: Stream = COMPUTE;
  private readonly sections: Section[] = [];
  private open: Section | null = null;
  /** By id, computed by the first replay: 1 if a block is released at some time. */
  private mortal: Uint8Array | null = null;

  /** Number of recorded blocks; ids are smaller. */
  get ids(): number {
    return this.bytes.length;
  }

  get length(): number {
    return this.events.length;
  }

  allocated(bytes: number): BlockId {
    const id = this.bytes.push(bytes) - 1;
    this.events.push(id);
    this.streams.push(this.stream);
    return id;
  }

  released(id: BlockId, copies: number): void {
    if (id >= 0) for (let i = 0; i < copies; i++) this.events.push(~id);
  }

  began(times: number): void {
    this.open = {
      times,
      from: this.events.length,
      to: this.events.length,
      inputs: [],
      outputs: [],
      lasting: null,
    };
    this.sections.push(this.open);
  }

  ended(inputs: readonly BlockId[] = [], outputs: readonly BlockId[] = []): void {
    if (this.open) Object.assign(this.open, { to: this.events.length, inputs, outputs });
    this.open = null;
  }

  /** Plays the events between two marks to an allocator; updates `alive`. */
  play(allocator: CachingAllocator, alive: Alive, from: number, to: number): void {
    const { events } = this;
    let at = from;
    for (const section of this.sections) {
      if (section.from < from || section.to > to) continue;
      this.playOnce(allocator, alive, events, at, section.from);
      this.playRounds(allocator, alive, section);
      at = section.to;
    }
    this.playOnce(allocator, alive, events, at, to);
  }

  private playRounds(allocator: CachingAllocator, alive: Alive, section: Section): void {
    const { times, from, to } = section;
    const last = this.isLong() ? times - LAST_ROUNDS : 0;
    for (let round = 1; round <= times; round++) {
      if (round <= FIRST_ROUNDS || round > last || isPowerOfTwo(round)) {
        this.playOnce(allocator, alive, this.events, from, to);
      } else {
        section.lasting ??= lastingOf(this.events, from, to, this.ids);
        this.playOnce(allocator, alive, section.lasting, 0, section.lasting.length);
      }
      if (round < times) handOver(alive, section);
    }
  }

  private isLong(): boolean {
    const repeated = this.sections.reduce((sum, { times, from, to }) => sum + (times - 1) * (to - from), 0);
    return this.events.length + repeated > LONG;
  }

  private playOnce(
    allocator: CachingAllocator,
    alive: Alive,
    events: readonly number[],
    from: number,
    to: number,
  ): void {
    const { bytes, streams } = this;
    const mortal = (this.mortal ??= mortalOf(this.ids, this.events, this.sections));
    for (let i = from; i < to; i++) {
      const event = events[i] ?? 0;
      if (event >= 0) {
        if (mortal[event] === 1) alive.push(event, allocator.allocate(bytes[event] ?? 0, streams[event]));
        else allocator.allocateForGood(bytes[event] ?? 0, streams[event]);
      } else {
        const block = alive.pop(~event);
        if (block !== NONE) allocator.release(block);
      }
    }
  }
}

/** Blocks that are released at some time or passed on; the others need not be tracked individually. */
function mortalOf(ids: number, events: readonly number[], sections: readonly Section[]): Uint8Array {
  const mortal = new Uint8Array(ids);
  for (const event of events) if (event < 0) mortal[~event] = 1;
  for (const { inputs, outputs } of sections) {
    for (const id of [...inputs, ...outputs]) if (id !== NOT_NOTED) mortal[id] = 1;
  }
  return mortal;
}

const isPowerOfTwo = (count: number): boolean => (count & (count - 1)) === 0;

function handOver(alive: Alive, { inputs, outputs }: Section): void {
  inputs.forEach((input, i) => {
    const block = alive.pop(outputs[i] ?? NOT_NOTED);
    if (block !== NONE) alive.push(input, block);
  });
}

/** Events between two marks, without allocations that are also released there. */
function lastingOf(events: readonly number[], from: number, to: number, ids: number): readonly number[] {
  // One more than the position of a block's allocation; 0: not here.
  const born = new Int32Array(ids);
  const passes = new Uint8Array(to - from);
  for (let i = from; i < to; i++) {
    const event = events[i] ?? 0;
    if (event >= 0) {
      born[event] = i - from + 1;
      continue;
    }
    const birth = born[~event] ?? 0;
    if (birth > 0) passes[birth - 1] = passes[i - from] = 1;
  }
  return events.slice(from, to).filter((_, i) => passes[i] === 0);
}

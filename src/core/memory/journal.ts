import type { Alive } from './alive';
import type { CachingAllocator } from './allocator';
import { NONE } from './blockTable';

/** What a journal knows a block by. */
export type BlockId = number;

/** The id of a block that nobody noted. */
export const NOT_NOTED = -1;

/** Events from `from` to before `to`, `times` over. What iteration hands to iteration: the n-th output becomes the n-th input. */
interface Section {
  readonly times: number;
  readonly from: number;
  to: number;
  inputs: readonly BlockId[];
  outputs: readonly BlockId[];
}

/**
 * The order in which blocks were allocated and released, with equal repetitions noted once. Of a block that was born in
 * a repetition there are as many as rounds; what is released is the youngest: backwards undoes forwards.
 */
export class Journal {
  /** A block's id when it was allocated, its complement when it was released. */
  private readonly events: number[] = [];
  private readonly bytes: number[] = [];
  private readonly sections: Section[] = [];
  private open: Section | null = null;

  /** How many blocks are noted: ids are below. */
  get ids(): number {
    return this.bytes.length;
  }

  get length(): number {
    return this.events.length;
  }

  allocated(bytes: number): BlockId {
    const id = this.bytes.push(bytes) - 1;
    this.events.push(id);
    return id;
  }

  released(id: BlockId, copies: number): void {
    if (id >= 0) for (let i = 0; i < copies; i++) this.events.push(~id);
  }

  began(times: number): void {
    this.open = { times, from: this.events.length, to: this.events.length, inputs: [], outputs: [] };
    this.sections.push(this.open);
  }

  ended(inputs: readonly BlockId[] = [], outputs: readonly BlockId[] = []): void {
    if (this.open) Object.assign(this.open, { to: this.events.length, inputs, outputs });
    this.open = null;
  }

  /** Plays the events between two marks to an allocator; `alive` is carried on. */
  play(allocator: CachingAllocator, alive: Alive, from: number, to: number): void {
    let at = from;
    for (const section of this.sections) {
      if (section.from < from || section.to > to) continue;
      this.playOnce(allocator, alive, at, section.from);
      for (let round = 1; round <= section.times; round++) {
        this.playOnce(allocator, alive, section.from, section.to);
        if (round < section.times) handOver(alive, section);
      }
      at = section.to;
    }
    this.playOnce(allocator, alive, at, to);
  }

  private playOnce(allocator: CachingAllocator, alive: Alive, from: number, to: number): void {
    const { events, bytes } = this;
    for (let i = from; i < to; i++) {
      const event = events[i] ?? 0;
      if (event >= 0) {
        alive.push(event, allocator.allocate(bytes[event] ?? 0));
      } else {
        const block = alive.pop(~event);
        if (block !== NONE) allocator.release(block);
      }
    }
  }
}

function handOver(alive: Alive, { inputs, outputs }: Section): void {
  inputs.forEach((input, i) => {
    const block = alive.pop(outputs[i] ?? NOT_NOTED);
    if (block !== NONE) alive.push(input, block);
  });
}

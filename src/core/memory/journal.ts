/** What a journal knows a block by; -1: not noted. */
export type BlockId = number;

/** Events from `from` to before `to`, `times` over. What iteration hands to iteration: the n-th output becomes the n-th input. */
interface Section {
  readonly times: number;
  readonly from: number;
  to: number;
  inputs: readonly BlockId[];
  outputs: readonly BlockId[];
}

/** Whatever takes blocks and gives them back. */
export interface Arena<Block> {
  allocate(bytes: number): Block;
  release(block: Block): void;
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

  /** Plays the events between two marks to an arena. `alive` has the blocks of each id, and is carried on. */
  play<Block>(arena: Arena<Block>, alive: Map<BlockId, Block[]>, from: number, to: number): void {
    let at = from;
    for (const section of this.sections) {
      if (section.from < from || section.to > to) continue;
      this.playOnce(arena, alive, at, section.from);
      for (let round = 1; round <= section.times; round++) {
        this.playOnce(arena, alive, section.from, section.to);
        if (round < section.times) handOver(alive, section);
      }
      at = section.to;
    }
    this.playOnce(arena, alive, at, to);
  }

  private playOnce<Block>(arena: Arena<Block>, alive: Map<BlockId, Block[]>, from: number, to: number): void {
    for (let i = from; i < to; i++) {
      const event = this.events[i] ?? 0;
      if (event >= 0) {
        const block = arena.allocate(this.bytes[event] ?? 0);
        const blocks = alive.get(event);
        if (blocks) blocks.push(block);
        else alive.set(event, [block]);
      } else {
        const block = alive.get(~event)?.pop();
        if (block !== undefined) arena.release(block);
      }
    }
  }
}

function handOver<Block>(alive: Map<BlockId, Block[]>, { inputs, outputs }: Section): void {
  inputs.forEach((input, i) => {
    const block = alive.get(outputs[i] ?? -1)?.pop();
    if (block !== undefined) alive.get(input)?.push(block);
  });
}

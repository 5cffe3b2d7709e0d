/** Cost of a choice, most important part first; compared in that order, added part by part. Never NaN. */
export type Cost = readonly number[];

/** One option per slot, by index, and their total cost. */
interface Choice {
  readonly indices: readonly number[];
  readonly cost: Cost;
}

interface Node extends Choice {
  /** The last slot that left its first option: only it and later slots advance, which avoids duplicates. */
  readonly last: number;
}

/** Tolerance: sums in another order differ in the last digit. */
const SAME = 1e-9;

export function compareCosts(a: Cost, b: Cost): number {
  for (const [i, part] of a.entries()) {
    const difference = part - (b[i] ?? 0);
    if (Math.abs(difference) > SAME) return difference;
  }
  return 0;
}

/**
 * All combinations of one option per slot, cheapest first. Lazy: finding the best of a million does not require
 * making a million. Each slot's options must be sorted, cheapest first; at equal cost, earlier options win.
 */
export function* bestFirst(slots: readonly (readonly Cost[])[]): Generator<Choice> {
  if (slots.some(options => options.length === 0)) return;
  const heap = new Heap(before);
  heap.push({ indices: slots.map(() => 0), cost: sum(slots.map(options => options[0] ?? [])), last: 0 });
  for (let node = heap.pop(); node; node = heap.pop()) {
    yield node;
    for (let slot = node.last; slot < slots.length; slot++) {
      const next = successor(node, slot, slots[slot] ?? []);
      if (next) heap.push(next);
    }
  }
}

function successor({ indices, cost }: Node, slot: number, options: readonly Cost[]): Node | null {
  const now = indices[slot] ?? 0;
  const [was, is] = [options[now], options[now + 1]];
  if (!was || !is) return null;
  return {
    indices: indices.with(slot, now + 1),
    cost: cost.map((part, i) => part + ((is[i] ?? 0) - (was[i] ?? 0))),
    last: slot,
  };
}

const before = (a: Node, b: Node): boolean => {
  const order = compareCosts(a.cost, b.cost) || compareCosts(a.indices, b.indices);
  return order < 0;
};

const sum = (costs: readonly Cost[]): Cost =>
  costs.reduce<number[]>((total, cost) => cost.map((part, i) => (total[i] ?? 0) + part), []);

/** A binary heap: pops the first element by `before`. */
class Heap {
  private readonly items: Node[] = [];

  constructor(private readonly before: (a: Node, b: Node) => boolean) {}

  push(item: Node): void {
    const { items } = this;
    let place = items.length;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = items[parent];
      if (!above || !this.before(item, above)) break;
      items[place] = above;
      place = parent;
    }
    items[place] = item;
  }

  pop(): Node | undefined {
    const { items } = this;
    const top = items[0];
    const item = items.pop();
    if (item && items.length > 0) this.sink(item);
    return top;
  }

  private sink(item: Node): void {
    const { items } = this;
    let place = 0;
    for (;;) {
      const child = this.firstChild(place);
      const below = items[child];
      if (!below || !this.before(below, item)) break;
      items[place] = below;
      place = child;
    }
    items[place] = item;
  }

  private firstChild(place: number): number {
    const [left, right] = [this.items[2 * place + 1], this.items[2 * place + 2]];
    return left && right && this.before(right, left) ? 2 * place + 2 : 2 * place + 1;
  }
}

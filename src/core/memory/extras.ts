import type { Tape } from './tape';
import { bytesPer } from './tensor';
import type { Element, Leaf, Parameter, Tensor } from './tensor';
import { ADAPTERS } from './terms';
import type { TermIndex } from './terms';

/** How a method allocates memory other than its own parameters. */
export interface Placing {
  adapter(shape: readonly number[], dtype: Element): Parameter;
  /** Permanent device memory, for each of the equal parts being built. */
  reserve(bytes: number, term: TermIndex): void;
}

const elementsOf = (shape: readonly number[]): number => shape.reduce((all, size) => all * size, 1);

/** Data of methods other than parameters of a single layer: frozen, or shared by all layers. */
export class Extras {
  private readonly sizes = new Map<string, number>();
  private readonly trained = new Map<string, Parameter>();

  constructor(
    private readonly tape: Tape,
    private readonly builder: Placing,
  ) {}

  /** Frozen data shared by all layers: created once, with the largest requested size. */
  shared(name: string, shape: readonly number[], dtype: Element): Tensor {
    const elements = elementsOf(shape);
    const known = this.sizes.get(name) ?? 0;
    const more = Math.max(0, elements - known);
    if (more > 0) {
      this.tape.ledger.place(more * bytesPer(dtype), ADAPTERS, 1);
      this.sizes.set(name, elements);
    }
    return this.placed(elements, dtype);
  }

  /** Frozen data of this layer (PEFT's buffers). */
  held(shape: readonly number[], dtype: Element): Tensor {
    const elements = elementsOf(shape);
    this.builder.reserve(elements * bytesPer(dtype), ADAPTERS);
    return this.placed(elements, dtype);
  }

  /**
   * A parameter shared by layers: created once; the others' contributions to its gradient take no additional
   * memory.
   */
  common(name: string, shape: readonly number[], dtype: Element): Tensor {
    const known = this.trained.get(name);
    if (known) return this.joining(known);
    const made = this.builder.adapter(shape, dtype);
    this.trained.set(name, made);
    return made;
  }

  private joining(parameter: Parameter): Leaf {
    const leaf = this.tape.leaf(parameter);
    leaf.holders = 1;
    leaf.arrived = () => {
      if (leaf.grad) this.tape.ledger.release(leaf.grad);
      leaf.grad = null;
    };
    return leaf;
  }

  private placed(elements: number, dtype: Element): Tensor {
    const storage = this.tape.ledger.place(0, ADAPTERS, 1);
    return { storage, elements, dtype, node: null, slot: 0, holders: 1 };
  }
}

/** The arithmetic of a product, which decides the rate of the tensor cores. */
export type Arithmetic = 'fp32' | 'tf32' | 'half' | 'fp8' | 'int8';

/** A product of matrices, `[rows, inputs] × [inputs, outputs]`, of `groups` equal ones at once. */
export interface ProductShape {
  readonly rows: number;
  readonly inputs: number;
  readonly outputs: number;
  readonly groups: number;
  readonly arithmetic: Arithmetic;
  /** Elements of the first factor where rows share them, as the windows of a convolution do; absent: rows × inputs. */
  readonly reads?: number;
}

/** Equal products, and how often they run. */
export interface Products extends ProductShape {
  readonly times: number;
}

/** What a part of a step does, by class of operation. Pure counts: nothing depends on a GPU. */
export interface Work {
  readonly products: readonly Products[];
  /** FLOPs of fused attention kernels over all positions, as if nothing were masked. */
  readonly attentionFlops: number;
  /** Bytes of all results that are no product's: what chains of small kernels write. */
  readonly writtenBytes: number;
  /** Kernels that the host starts, about one for each result. */
  readonly kernels: number;
  /** FLOPs among these of what a checkpoint runs again. */
  readonly recomputedFlops: number;
}

/** What an operation's backward does in addition to what it allocates. */
export interface Cost {
  readonly product: ProductShape | null;
  /** Products in backward: one for each factor that requires a gradient. */
  readonly gradients: number;
  readonly attentionFlops: number;
}

/** Counts work while a run is played: repetitions count as often as they run. */
export class Meter {
  /** Events stand for this many. */
  times = 1;
  /** The next result exists already: selective checkpointing has kept it. */
  isKept = false;
  /** A checkpoint runs its body again. */
  runsAgain = false;
  private products = new Map<string, { shape: ProductShape; times: number }>();
  private attentionFlops = 0;
  private writtenBytes = 0;
  private kernels = 0;
  private recomputedFlops = 0;

  wrote(bytes: number): void {
    this.writtenBytes += bytes * this.times;
    this.kernels += this.times;
  }

  /** The result of a product: written by its kernel, which counts as a product. */
  product(shape: ProductShape, times = 1): void {
    const { rows, inputs, outputs, groups, arithmetic, reads = '' } = shape;
    const key = `${rows} ${inputs} ${outputs} ${groups} ${arithmetic} ${reads}`;
    const known = this.products.get(key) ?? { shape, times: 0 };
    known.times += times * this.times;
    this.again(2 * rows * inputs * outputs * groups * times);
    this.products.set(key, known);
  }

  attention(flops: number): void {
    this.attentionFlops += flops * this.times;
    this.again(flops);
  }

  private again(flops: number): void {
    if (this.runsAgain) this.recomputedFlops += flops * this.times;
  }

  /** Ends a part of a step and returns its work. */
  take(): Work {
    const { attentionFlops, writtenBytes, kernels, recomputedFlops } = this;
    const products = [...this.products.values()].map(({ shape, times }) => ({ ...shape, times }));
    this.products = new Map();
    this.attentionFlops = this.writtenBytes = this.kernels = this.recomputedFlops = 0;
    return {
      products,
      attentionFlops,
      writtenBytes,
      kernels,
      recomputedFlops,
    };
  }
}

/** Notes what an operation's backward does when it runs. */
export function notesBackward(meter: Meter, cost: Cost): void {
  const { product, gradients, attentionFlops } = cost;
  if (product && gradients > 0) meter.product(product, gradients);
  if (attentionFlops > 0) meter.attention(attentionFlops);
}

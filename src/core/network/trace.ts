import { elementsOf, raise } from './values';
import type { Storage, Tensor } from './values';
import type { Computed, Work } from './work';

const ELEMENT = { float: 4, integer: 8, bool: 1 } as const;

/** Larger tensors are mistakes of the reader. */
const LARGEST = 1e13;

/** Consecutive layers, with what they keep for backward. */
export interface Segment {
  readonly parameters: Tensor[];
  /** Elements of the largest result. */
  largest: number;
  readonly work: Work[];
  /** Bytes of all results in fp32 throughout and under autocast, and how many they are: a kernel writes each. */
  readonly written: { full: number; mixed: number; kernels: number };
}

const segmentOf = (parameters: Tensor[]): Segment => ({
  ...{ parameters, largest: 0, work: [] },
  written: { full: 0, mixed: 0, kernels: 0 },
});

/** Records which tensors a forward pass keeps for backward, after torch's derivatives.yaml. */
export class Trace {
  storages: Storage[] = [];
  segments: Segment[] = [segmentOf([])];
  private readonly placed = new Set<Storage>();
  /** Parameters that are not trained. */
  readonly frozen = new Set<Storage>();
  /** False below `no_grad`. */
  records = true;
  /** False while the network is made. */
  runs = false;

  /** `step`: counts each tensor, and throws if there are too many. */
  constructor(private readonly step: () => void) {}

  /** Begins a pass. */
  begin(): void {
    this.storages = [];
    this.segments = [segmentOf([])];
    this.placed.clear();
    this.runs = true;
    this.records = true;
  }

  /** A parameter or a buffer. */
  parameter(shape: readonly number[], grad = true): Tensor {
    return { kind: 'tensor', shape, grad, storage: this.storage(shape, 'float', false, true) };
  }

  input(shape: readonly number[], kind: 'float' | 'integer' = 'float'): Tensor {
    return { kind: 'tensor', shape, grad: false, storage: this.storage(shape, kind, false, false) };
  }

  /** A result of these tensors. `low`: autocast computes it in 16 bits; by default, if they all are. */
  result(
    shape: readonly number[],
    from: readonly Tensor[],
    low: boolean | null = null,
    kind: Storage['kind'] = 'float',
  ): Tensor {
    const floats = from.filter(({ storage }) => storage.kind === 'float' && !storage.isParameter);
    const isLow = low ?? (floats.length > 0 && floats.every(({ storage }) => storage.low));
    const storage = this.storage(shape, kind, isLow, false);
    const segment = this.segments.at(-1);
    if (segment && this.runs) {
      segment.largest = Math.max(segment.largest, storage.elements);
      const { written } = segment;
      written.full += storage.elements * ELEMENT[kind];
      written.mixed += storage.elements * (isLow ? 2 : ELEMENT[kind]);
      written.kernels += 1;
    }
    return { kind: 'tensor', shape, storage, grad: this.records && from.some(one => this.trains(one)) };
  }

  /** Notes what an operation over these factors computes. */
  compute(computed: readonly Computed[], factors: readonly Tensor[]): void {
    const gradients = this.records ? factors.filter(one => this.trains(one)).length : 0;
    const segment = this.segments.at(-1);
    if (this.runs) segment?.work.push(...computed.map(one => ({ computed: one, gradients })));
  }

  /** Whether a gradient flows into a tensor. */
  trains({ grad, storage }: Tensor): boolean {
    return grad && !this.frozen.has(storage);
  }

  /** The same elements in another shape. */
  view(of: Tensor, shape: readonly number[]): Tensor {
    this.step();
    return { ...of, shape };
  }

  /** Keeps a tensor for backward. `as`: autocast casts it first, and the copy is kept. */
  keep(tensor: Tensor, as: 'low' | 'wide' | null = null): void {
    const { storage } = tensor;
    if (!this.records || storage.isParameter) return;
    storage.kept = true;
    const isCast = storage.kind === 'float' && as !== null && storage.low !== (as === 'low');
    storage.copies[isCast ? as : 'self'] = true;
  }

  /** A layer with these parameters begins. */
  layer(parameters: readonly Tensor[]): void {
    const fresh = parameters.filter(({ storage }) => !this.placed.has(storage));
    if (!this.runs || fresh.length === 0) return;
    for (const { storage } of fresh) this.placed.add(storage);
    this.segments.push(segmentOf([...fresh]));
  }

  isPlaced(tensor: Tensor): boolean {
    return this.placed.has(tensor.storage);
  }

  private storage(
    shape: readonly number[],
    kind: Storage['kind'],
    low: boolean,
    isParameter: boolean,
  ): Storage {
    this.step();
    const elements = elementsOf(shape);
    if (!Number.isInteger(elements) || elements < 0 || elements > LARGEST) raise('a size is not a number');
    const segment = this.segments.length - 1;
    const copies = { low: false, wide: false, self: false };
    const storage: Storage = { elements, kind, low, isParameter, segment, kept: false, copies };
    if (!isParameter) this.storages.push(storage);
    return storage;
  }
}

/** Bytes that are kept of a storage: in fp32 throughout, and under autocast. */
export function keptBytes({ elements, kind, low, kept, copies }: Storage): { full: number; mixed: number } {
  if (!kept) return { full: 0, mixed: 0 };
  const own = copies.self ? (low ? 2 : ELEMENT[kind]) : 0;
  return {
    full: elements * ELEMENT[kind],
    mixed: elements * (own + (copies.low ? 2 : 0) + (copies.wide ? 4 : 0)),
  };
}

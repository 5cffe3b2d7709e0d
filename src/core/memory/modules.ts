import type { Extras, Placing } from './extras';
import type { Tape } from './tape';
import type { Element, Parameter, Tensor } from './tensor';
import type { TermIndex } from './terms';

/** Part of a forward pass: a function of a tensor. */
export type Step = (tape: Tape, x: Tensor) => Tensor;

/** A forward pass with additional arguments. */
export type Pass<Rest extends readonly unknown[]> = (tape: Tape, x: Tensor, ...rest: Rest) => Tensor;

/** A linear layer in any form: plain, quantized, with adapters. */
export type Linear = Step;

/** Equal parts of a model, run once for all `times` of them. */
export interface Repeated<Part> {
  readonly part: Part;
  readonly times: number;
}

/** Rounds of several layers each; the first begins at the model's layer `from`. */
export interface Rounds {
  readonly from: number;
  readonly times: number;
  readonly width: number;
}

/** The matrices of a layer's experts: gate and up combined, and down. */
export type ExpertMatrix = 'gateUp' | 'down';

/** A stack of matrices, `[experts, out, in]`, as a pass receives it. */
export type StackedWeight = (tape: Tape) => Tensor & { readonly shape: readonly number[] };

export interface LinearShape {
  readonly name: string;
  readonly inputs: number;
  readonly outputs: number;
  readonly bias: boolean;
  /** A subclass of torch's layer in the model's code: the bias is added after the product (Falcon). */
  readonly derived?: boolean;
  /** Held in fp32, neither loaded in fp16 nor quantized (transformers, _keep_in_fp32_modules). */
  readonly keptWide?: boolean;
}

/** A linear layer per shape. */
export type Projections<Shapes extends readonly LinearShape[]> = { readonly [Place in keyof Shapes]: Linear };

/** Creates a model's parameters, in the order of `model.parameters()`. */
export interface Builder {
  linear(shape: LinearShape): Linear;
  /** Linear layers over the same input, which a fused kernel may compute together. They run in order. */
  projections<const Shapes extends readonly LinearShape[]>(shapes: Shapes): Projections<Shapes>;
  /** A gated MLP as one function, if a kernel computes it that way; null if its layers are separate. */
  gatedMlp(shapes: readonly [gate: LinearShape, up: LinearShape, down: LinearShape]): Step | null;
  /** Dtype of such a layer's weight, as its own code sees it. */
  dtypeOf(shape: LinearShape): Element;
  /** The weight, and the bias if any, of a normalization over `size` elements. */
  vector(size: number): Parameter;
  /** The weight of a convolution, `[out, in / groups, height, width]`, or of another non-linear layer. */
  kernel(shape: readonly number[]): Parameter;
  /** A table of rows: the embedding, or an untied head. */
  embedding(name: string, rows: number, width: number): Parameter;
  /** A weight outside any layer class, so neither quantized nor adapted: stacked experts. */
  stacked(shape: readonly number[]): Parameter;
  /** Stacked expert matrices, which may be quantized, and get adapters if these target parameters. */
  experts(matrix: ExpertMatrix, shape: readonly [number, number, number]): StackedWeight;
  /** A trained matrix of an adapter. */
  adapter(shape: readonly number[], dtype: Element): Parameter;
  /** `times` equal parts: the first one separately, the others represented by one. */
  repeat<Part>(times: number, make: () => Part): readonly Repeated<Part>[];
  /** The same for layers, of which some may be frozen. `again`: these are checkpointed if any are. */
  rounds<Part>(rounds: Rounds, make: (again: boolean) => Part): readonly Repeated<Part>[];
  /** A layer: the unit of gathering and freeing if ranks share parameters. */
  layer<Rest extends readonly unknown[]>(make: () => Pass<Rest>): Pass<Rest>;
  /** Everything created in `make` is frozen. */
  frozen<Part>(make: () => Part): Part;
  /** Non-trainable data on the device. */
  buffer(bytes: number): void;
}

/** The builder for transforms: adapters, quantized weights, and the memory of loading them. */
export interface WeightBuilder extends Builder, Placing {
  /** Data of methods other than LoRA, in addition to a layer's own parameters. */
  readonly extras: Extras;
  /** A base weight: frozen under adapters, upcast if k-bit preparation does so. */
  weight(shape: readonly number[]): Parameter;
  /** Temporary memory during loading. */
  pass(bytes: number): void;
  /** Memory of a quantized weight, sharded if parameters are; returns the bytes of this rank. */
  reserveWeight(bytes: number): number;
  /** Device memory that layers share: the maximum over the layers. */
  reserveLargest(bytes: number, term: TermIndex): void;
  /** Records what these bytes hold. */
  record(term: TermIndex, held: string, count: number, bytes: number): void;
}

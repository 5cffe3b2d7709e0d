import type { Extras, Placing } from './extras';
import type { Tape } from './tape';
import type { Element, Parameter, Tensor } from './tensor';
import type { TermIndex } from './terms';

/** A piece of a forward pass: what it makes of a tensor. */
export type Step = (tape: Tape, x: Tensor) => Tensor;

/** A forward pass that takes more than a tensor. */
export type Pass<Rest extends readonly unknown[]> = (tape: Tape, x: Tensor, ...rest: Rest) => Tensor;

/** A linear layer, whatever has been made of it: plain, quantised, with adapters. */
export type Linear = Step;

/** Equal parts of a model, walked once for all `times` of them. */
export interface Repeated<Part> {
  readonly part: Part;
  readonly times: number;
}

/** Rounds of so many layers each, the first of them being the model's `from`-th. */
export interface Rounds {
  readonly from: number;
  readonly times: number;
  readonly width: number;
}

/** The matrices of a layer's experts: gate and up together, and down. */
export type ExpertMatrix = 'gateUp' | 'down';

/** A stack of matrices, `[experts, out, in]`, as a pass gets it. */
export type StackedWeight = (tape: Tape) => Tensor & { readonly shape: readonly number[] };

export interface LinearShape {
  readonly name: string;
  readonly inputs: number;
  readonly outputs: number;
  readonly bias: boolean;
  /** A class of the model's own, derived from torch's: the bias is added after the product (Falcon). */
  readonly derived?: boolean;
  /** Neither loaded in fp16 nor quantised, but held in fp32 (transformers, _keep_in_fp32_modules). */
  readonly keptWide?: boolean;
}

/** A linear layer for each shape. */
export type Projections<Shapes extends readonly LinearShape[]> = { readonly [Place in keyof Shapes]: Linear };

/** Makes a model's parameters, in the order of `model.parameters()`. */
export interface Builder {
  linear(shape: LinearShape): Linear;
  /** Linear layers over the same input, which a fused kernel may compute together. They run in their order. */
  projections<const Shapes extends readonly LinearShape[]>(shapes: Shapes): Projections<Shapes>;
  /** A gated MLP as one function, where a kernel computes it so; null where its layers are made one by one. */
  gatedMlp(shapes: readonly [gate: LinearShape, up: LinearShape, down: LinearShape]): Step | null;
  /** What such a layer's weight is held in, as its own code sees it. */
  dtypeOf(shape: LinearShape): Element;
  /** The weight, and the bias where there is one, of a normalisation over `size` elements. */
  vector(size: number): Parameter;
  /** The weight of a convolution, `[out, in / groups, height, width]`, or what else is no linear layer's. */
  kernel(shape: readonly number[]): Parameter;
  /** A table of rows: the embedding, or a head that is not tied to it. */
  embedding(name: string, rows: number, width: number): Parameter;
  /** A weight that no layer class holds, and that is therefore neither quantised nor given adapters: stacked experts. */
  stacked(shape: readonly number[]): Parameter;
  /** Stacked matrices of experts, which may be held in fewer bits, and get adapters where these are for parameters. */
  experts(matrix: ExpertMatrix, shape: readonly [number, number, number]): StackedWeight;
  /** `times` equal parts: the first by itself, the others by one of them. */
  repeat<Part>(times: number, make: () => Part): readonly Repeated<Part>[];
  /** The same of layers, of which not all may be trained. `again`: these are checkpointed where any are. */
  rounds<Part>(rounds: Rounds, make: (again: boolean) => Part): readonly Repeated<Part>[];
  /** A layer: what is gathered and given back as one where ranks share parameters. */
  layer<Rest extends readonly unknown[]>(make: () => Pass<Rest>): Pass<Rest>;
  /** What is made meanwhile is not trained. */
  frozen<Part>(make: () => Part): Part;
  /** Non-trainable data on the device. */
  buffer(bytes: number): void;
}

/** What transforms make weights with: adapters, weights in fewer bits, and what loading them takes. */
export interface WeightBuilder extends Builder, Placing {
  /** What methods other than LoRA have in addition to a layer's own parameters. */
  readonly extras: Extras;
  /** A base weight: frozen under adapters, widened where k-bit preparation does it. */
  weight(shape: readonly number[]): Parameter;
  /** Memory that loading takes for a moment. */
  pass(bytes: number): void;
  /** Memory of a weight in fewer bits, which ranks share where they share parameters; returns that of this rank. */
  reserveWeight(bytes: number): number;
  /** Device memory that layers share: as much as the largest of them wants. */
  reserveLargest(bytes: number, term: TermIndex): void;
  /** Says what these bytes hold. */
  record(term: TermIndex, held: string, count: number, bytes: number): void;
}

import type { KroneckerFactors } from '../spec/values';
import type { ExpertMatrix, Linear, LinearShape, WeightBuilder } from './modules';
import { to } from './ops/cast';
import { matmul } from './ops/linear';
import { add } from './ops/pointwise';
import type { Tape } from './tape';
import type { Element, Parameter, Tensor } from './tensor';

/** LoRA settings for the tape. */
export interface LoraPlan {
  readonly r: number;
  readonly dropout: number;
  /** Modules that get adapters, or all linear layers except the head. */
  readonly targets: readonly string[] | 'all-linear';
  /** Modules that are trained as full copies. */
  readonly modulesToSave: readonly string[];
  readonly dtype: Element;
  /** The method that replaces LoRA's two matrices; null: LoRA. */
  readonly method: AdapterMethod | null;
  /** How LoKr splits sizes, in attention and in MLPs. */
  readonly factors?: KroneckerFactors | undefined;
  /** Adapter ranks on the stacked expert matrices, 0 for a matrix without one; null: experts get none. */
  readonly experts: Readonly<Record<ExpertMatrix, number>> | null;
  /** Number of virtual tokens before each row, of which only the embeddings are trained. */
  readonly virtualTokens?: number;
}

/** A linear layer with adapters. */
export interface AdapterSite {
  readonly builder: WeightBuilder;
  readonly plan: LoraPlan;
  readonly shape: LinearShape;
  readonly base: Linear;
  /** Its weight; null if quantized. */
  readonly weight: Parameter | null;
  /** The model's attention heads, and the rows of a batch. */
  readonly heads: number;
  readonly rows: number;
}

/**
 * A training method with frozen weights other than LoRA: what it adds to its target layers. One file per method.
 */
export interface AdapterMethod {
  /** PEFT's `peft_type` in lower case. */
  readonly names: readonly string[];
  readonly title: string;
  /** Where the facts were found. */
  readonly source: string;
  /** It requires a rank. */
  readonly ranked: boolean;
  /** Fixed targets, whatever a config says: no linear layers, or all, of which it takes what it needs. */
  readonly targets?: 'none' | 'all';
  /** Virtual tokens before every row, of which only the embeddings are trained. */
  readonly virtualTokens?: (plan: { readonly r: number }) => number;
  /** Attention sees as many trained keys and values as the rank, before those of a row. */
  readonly prefixes?: true;
  /** It trains the weights of norms. */
  readonly trainsNorms?: boolean;
  /** A target layer with the method's additions; creates parameters in their order. */
  linear(site: AdapterSite): Linear;
}

/**
 * result + x · Δᵀ, where Δ has the weight's size and is recomputed for each use: product and update keep both
 * factors.
 */
export function withDelta({ plan, shape, base }: AdapterSite, delta: (tape: Tape) => Tensor): Linear {
  const size = [shape.outputs, shape.inputs];
  return (tape, input) =>
    tape.call([input], () => {
      const result = tape.name(base(tape, input));
      const made = tape.name(delta(tape));
      const x = tape.name(to(tape, input, plan.dtype));
      const sum = tape.rename(result, add(tape, result, matmul(tape, x, made, null, size)));
      return to(tape, sum, input.dtype);
    });
}

/** result + update(x), with x in the adapters' dtype. */
export function withUpdate({ plan, base }: AdapterSite, update: (tape: Tape, x: Tensor) => Tensor): Linear {
  return (tape, input) =>
    tape.call([input], () => {
      const result = tape.name(base(tape, input));
      const x = tape.name(to(tape, input, plan.dtype));
      const sum = tape.rename(result, add(tape, result, update(tape, x)));
      return to(tape, sum, input.dtype);
    });
}

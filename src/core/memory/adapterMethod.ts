import type { KroneckerFactors } from '../spec/values';
import type { ExpertMatrix, Linear, LinearShape, WeightBuilder } from './modules';
import { to } from './ops/cast';
import { matmul } from './ops/linear';
import { add } from './ops/pointwise';
import type { Tape } from './tape';
import type { Element, Parameter, Tensor } from './tensor';

/** LoRA as the tape needs it. */
export interface LoraPlan {
  readonly r: number;
  readonly dropout: number;
  /** Module names that get adapters, or all linear layers but the head. */
  readonly targets: readonly string[] | 'all-linear';
  /** Modules of which a copy is trained in full. */
  readonly modulesToSave: readonly string[];
  readonly dtype: Element;
  /** What is trained in place of LoRA's two matrices; null: those. */
  readonly method: AdapterMethod | null;
  /** How LoKr splits sizes, in attention and in MLPs. */
  readonly factors?: KroneckerFactors | undefined;
  /** Ranks of adapters on the stacked matrices of experts, 0 where one gets none; null: experts get none. */
  readonly experts: Readonly<Record<ExpertMatrix, number>> | null;
  /** Rows begin with so many tokens of which only the embeddings are trained. */
  readonly virtualTokens?: number;
}

/** A linear layer that gets adapters. */
export interface AdapterSite {
  readonly builder: WeightBuilder;
  readonly plan: LoraPlan;
  readonly shape: LinearShape;
  readonly base: Linear;
  /** Its weight; null where that is quantised. */
  readonly weight: Parameter | null;
  /** Attention heads of the model, and rows of a batch. */
  readonly heads: number;
  readonly rows: number;
}

/** A way to train next to frozen weights, other than LoRA: what it adds to the layers it targets. One file each. */
export interface AdapterMethod {
  /** PEFT's `peft_type`, in small letters. */
  readonly names: readonly string[];
  readonly title: string;
  /** Where it was read. */
  readonly source: string;
  /** It is nothing without a rank. */
  readonly ranked: boolean;
  /** Where it has targets of its own, whatever a config says: no linear layers, or all, of which it takes what it wants. */
  readonly targets?: 'none' | 'all';
  /** Tokens that are put before every row, of which only the embeddings are trained. */
  readonly virtualTokens?: (plan: { readonly r: number }) => number;
  /** Attention looks at so many trained keys and values, its rank, before those of a row. */
  readonly prefixes?: true;
  /** Weights of norms are trained. */
  readonly trainsNorms?: boolean;
  /** A targeted layer with what the method adds to it, its parameters made in their order. */
  linear(site: AdapterSite): Linear;
}

/** result + x · Δᵀ, where Δ is as large as the weight and is made anew for each use: product and update keep both factors. */
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

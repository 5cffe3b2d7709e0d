import type { Builder, Step } from '../../modules';
import { biasActivation, biasDropoutAdd, columnLinear, fusedSwiglu, moved } from '../../ops/megatron';
import { fusedRmsNorm } from '../../ops/fused';
import { layerNorm } from '../../ops/norm';
import { allGather, reduceScatter } from '../../ops/collective';
import { copy, split } from '../../ops/shape';
import type { MemoryRun } from '../../run';
import type { Tape } from '../../tape';
import type { Parameter, Tensor } from '../../tensor';
import { coreAttention, coreAttentionOf, ratesOf } from './attention';
import type { CoreAttention } from './attention';

type Weights = readonly [Parameter, Parameter | null];

/** A Megatron weight, with its bias if any. */
export function weights(builder: Builder, shape: readonly [number, number], bias: boolean): Weights {
  return [builder.kernel(shape), bias ? builder.vector(shape[0]) : null];
}

/** A product whose weights ranks share by outputs (columns) or by inputs (rows). */
export interface SharedLinear {
  /** Megatron's name of the layer, which adapters target. */
  readonly name: 'linear_qkv' | 'linear_proj' | 'linear_fc1' | 'linear_fc2';
  readonly shape: readonly [outputs: number, inputs: number];
  readonly bias: boolean;
  readonly by: 'columns' | 'rows';
}

/**
 * Such a product; with adapters, as ms-swift adds them (mcore-bridge 1.6, tuners/lora.py, LoraParallelLinear): PEFT's, over
 * the tokens that the product itself gets.
 */
function product(builder: Builder, run: MemoryRun, { name, shape, bias, by }: SharedLinear): Step {
  if (run.training.lora === null) {
    const held = weights(builder, shape, bias);
    const times = by === 'rows' ? rowLinear : columnLinear;
    return (tape, x) => times(tape, x, held, run);
  }
  const [outputs, inputs] = shape;
  const layer = builder.linear({ name, inputs, outputs, bias });
  const ranks = run.ranks.sequence ?? 1;
  return by === 'rows'
    ? (tape, x) => reduceScatter(tape, layer(tape, x), ranks)
    : (tape, x) => layer(tape, allGather(tape, x, ranks));
}

/** LayerNorm or RMSNorm, depending on the model; either is one kernel. */
export function norm(builder: Builder, { model }: MemoryRun, size = model.hiddenSize): Step {
  if (model.norm === 'rmsnorm') {
    const weight = builder.vector(size);
    return (tape, x) => fusedRmsNorm(tape, x, weight);
  }
  const [weight, bias] = [builder.vector(size), builder.vector(size)];
  return (tape, x) => layerNorm(tape, x, { weight, bias });
}

/** A product of this rank's inputs; each rank gets the sum over ranks, or only its own tokens. */
export function rowLinear(tape: Tape, x: Tensor, [weight, bias]: Weights, run: MemoryRun): Tensor {
  // Its own input is complete.
  const product = columnLinear(tape, x, [weight, bias], { ...run, ranks: { ...run.ranks, sequence: 1 } });
  return reduceScatter(tape, product, run.ranks.sequence ?? 1);
}

/** Self-attention between its norm and its output: ColumnParallel, core attention, RowParallel. */
export function selfAttention(builder: Builder, run: MemoryRun): Step {
  const { heads, kvHeads, headDim, hiddenSize, qkvBias, attentionOutBias, positions, qkNorm } = run.model;
  const [q, kv] = [heads * headDim, kvHeads * headDim];
  const input = norm(builder, run);
  const qkv = product(builder, run, {
    name: 'linear_qkv',
    shape: [q + 2 * kv, hiddenSize],
    bias: qkvBias,
    by: 'columns',
  });
  const queryNorm = qkNorm ? norm(builder, run, headDim) : null;
  const keyNorm = qkNorm ? norm(builder, run, headDim) : null;
  const output = product(builder, run, {
    name: 'linear_proj',
    shape: [hiddenSize, q],
    bias: attentionOutBias,
    by: 'rows',
  });
  const core: CoreAttention = coreAttentionOf(run, ratesOf(run).attention);
  return (tape, x) =>
    tape.call([x], () => {
      const mixed = tape.name(qkv(tape, input(tape, x)));
      const tokens = mixed.elements / (q + 2 * kv);
      const [query = x, key = x, value = x] = split(tape, mixed, [tokens * q, tokens * kv, tokens * kv]);
      const seen = { query: tape.name(query), key: tape.name(key), value: tape.name(value) };
      tape.drop(mixed);
      // Grouped queries are not contiguous in the projection: `reshape` copies them (attention.py).
      if (kvHeads < heads && positions !== 'rope') {
        seen.query = tape.rename(seen.query, copy(tape, seen.query));
      }
      if (queryNorm) seen.query = tape.rename(seen.query, queryNorm(tape, seen.query));
      if (keyNorm) seen.key = tape.rename(seen.key, keyNorm(tape, seen.key));
      if (positions === 'rope') {
        // One kernel each (fused_apply_rotary_pos_emb).
        seen.query = tape.rename(seen.query, moved(tape, seen.query, seen.query.elements));
        seen.key = tape.rename(seen.key, moved(tape, seen.key, seen.key.elements));
      }
      const context = tape.name(coreAttention(tape, seen, core));
      return output(tape, context);
    });
}

/** The MLP between its norm and its output. */
export function mlp(builder: Builder, run: MemoryRun): Step {
  const { hiddenSize, intermediateSize: inner, gatedMlp, mlpBias } = run.model;
  const input = norm(builder, run);
  const wider = gatedMlp ? 2 * inner : inner;
  const up = product(builder, run, {
    name: 'linear_fc1',
    shape: [wider, hiddenSize],
    bias: mlpBias,
    by: 'columns',
  });
  const down = product(builder, run, {
    name: 'linear_fc2',
    shape: [hiddenSize, inner],
    bias: mlpBias,
    by: 'rows',
  });
  return (tape, x) =>
    tape.call([x], () => {
      const wide = tape.name(up(tape, input(tape, x)));
      const active = tape.rename(wide, gatedMlp ? fusedSwiglu(tape, wide) : biasActivation(tape, wide));
      return down(tape, active);
    });
}

/** TransformerLayer: adds each part's output, with dropout, to its input. */
export function residualLayer(run: MemoryRun, parts: readonly Step[]): Step {
  const { hidden } = ratesOf(run);
  return (tape, x) =>
    tape.call([x], () => {
      let states = x;
      for (const part of parts) {
        const change = tape.name(part(tape, states));
        states = tape.name(biasDropoutAdd(tape, change, states, hidden));
        tape.drop(change);
      }
      return states;
    });
}

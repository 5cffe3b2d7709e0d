import type { Builder, Step } from '../../modules';
import { biasActivation, fusedSwiglu, moved } from '../../ops/megatron';
import { groupedMatmul } from '../../ops/experts';
import { linear } from '../../ops/linear';
import { add, dropout, scale } from '../../ops/pointwise';
import { softmaxInFp32 } from '../../ops/attention';
import type { MemoryRun } from '../../run';
import { isTarget } from '../../transforms/targets';
import type { Tape } from '../../tape';
import type { Tensor } from '../../tensor';
import { mlp, norm } from './layer';
import type { SharedLinear } from './layer';

/**
 * MoELayer (core/transformer/moe): a token is copied for each of its experts, sent to the expert's rank, and
 * returned the same way. Assumes even routing. Expert weights are stacked, as for grouped products.
 */
export function experts(builder: Builder, run: MemoryRun): Step {
  const { model } = run;
  const { hiddenSize, gatedMlp, expertsPerToken, moe } = model;
  const inner = moe?.intermediateSize ?? model.intermediateSize;
  const input = norm(builder, run);
  const router = builder.kernel([run.ranks.routedExperts ?? model.experts, hiddenSize]);
  const up = grouped(builder, run, 'linear_fc1', [model.experts, gatedMlp ? 2 * inner : inner, hiddenSize]);
  const down = grouped(builder, run, 'linear_fc2', [model.experts, hiddenSize, inner]);
  const shared = sharedExpert(builder, run);
  return (tape, x) =>
    tape.call([x], () => {
      const states = tape.name(input(tape, x));
      const logits = tape.name(linear(tape, states, router, null));
      tape.name(softmaxInFp32(tape, logits));
      // Every expert-tensor rank gets the tokens of the others.
      const sent = states.elements * expertsPerToken;
      const permuted = moved(tape, states, sent);
      const dispatched = tape.name(moved(tape, permuted, sent * (run.ranks.expertTensor ?? 1)));
      const offsets = tape.name(tape.empty(model.experts, 'int32'));
      const wide = tape.name(up(tape, dispatched, offsets));
      tape.drop(dispatched);
      const active = tape.rename(wide, gatedMlp ? fusedSwiglu(tape, wide) : biasActivation(tape, wide));
      const narrow = tape.rename(active, down(tape, active, offsets));
      const back = tape.rename(narrow, moved(tape, narrow, sent));
      const whole = moved(tape, back, states.elements);
      return shared ? add(tape, tape.name(whole), shared(tape, x)) : whole;
    });
}

/** A product of each row with the matrix of its expert. */
type Grouped = (tape: Tape, x: Tensor, offsets: Tensor) => Tensor;

/** Such a product; each expert has adapters of its own (mcore-bridge 1.6, tuners/lora.py, TEGroupedLinear). */
function grouped(
  builder: Builder,
  { training: { lora } }: MemoryRun,
  name: SharedLinear['name'],
  [experts, outputs, inputs]: readonly [experts: number, outputs: number, inputs: number],
): Grouped {
  const weight = builder.stacked([experts, outputs, inputs]);
  if (lora === null || !isTarget(lora.targets, name)) {
    return (tape, x, offsets) => groupedMatmul(tape, x, weight, offsets);
  }
  const a = builder.adapter([experts, lora.r, inputs], lora.dtype);
  const b = builder.adapter([experts, outputs, lora.r], lora.dtype);
  return (tape, x, offsets) =>
    tape.call([x], () => {
      const result = tape.name(groupedMatmul(tape, x, weight, offsets));
      const narrow = groupedMatmul(tape, dropout(tape, x, lora.dropout), a, offsets);
      return add(tape, result, scale(tape, groupedMatmul(tape, narrow, b, offsets)));
    });
}

/** An expert for all tokens: a separate MLP. */
function sharedExpert(builder: Builder, run: MemoryRun): Step | null {
  const width = run.model.moe?.sharedIntermediateSize ?? 0;
  if (width === 0) return null;
  return mlp(builder, { ...run, model: { ...run.model, intermediateSize: width } });
}

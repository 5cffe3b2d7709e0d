import type { Linear, LinearShape, WeightBuilder } from '../modules';
import { add, dropout, scale } from '../ops/pointwise';
import { linear } from '../ops/linear';
import { to } from '../ops/cast';
import type { LoraPlan } from '../adapterMethod';
import type { Parameter } from '../tensor';

/** The two matrices of an adapter. */
export interface Adapter {
  readonly a: Parameter;
  readonly b: Parameter;
}

export function adapterOf(builder: WeightBuilder, plan: LoraPlan, shape: LinearShape): Adapter {
  const a = builder.adapter([plan.r, shape.inputs], plan.dtype);
  return { a, b: builder.adapter([shape.outputs, plan.r], plan.dtype) };
}

/**
 * PEFT's LoRA layer: result + B(A(dropout(x))) · scaling. The general layer casts x to the adapters' dtype
 * (peft/tuners/lora/layer.py); the one over bitsandbytes leaves it to autocast where that is on (bnb.py).
 */
export function withLora(
  plan: LoraPlan,
  { a, b }: Adapter,
  base: Linear,
  asIsUnderAutocast: boolean,
): Linear {
  return (tape, input) =>
    tape.call([input], () => {
      const result = tape.name(base(tape, input));
      const { dtype } = result;
      const asIs = asIsUnderAutocast && tape.autocast !== null;
      const x = tape.name(asIs ? input : to(tape, input, plan.dtype));
      const dropped = dropout(tape, x, plan.dropout);
      const update = scale(tape, linear(tape, linear(tape, dropped, a, null), b, null));
      const sum = tape.rename(result, add(tape, result, update));
      return asIs ? sum : to(tape, sum, dtype);
    });
}

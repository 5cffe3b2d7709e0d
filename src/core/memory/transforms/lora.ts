import type { ModelBuilder } from '../builder';
import type { Linear, LinearShape } from '../modules';
import { dropout } from '../ops/dropout';
import { linear } from '../ops/linear';
import { add, scale, to } from '../ops/pointwise';
import type { LoraPlan } from '../run';

/** PEFT's LoRA layer: result + B(A(dropout(x))) · scaling, with x in the adapters' dtype (peft/tuners/lora/layer.py). */
export function withLora(builder: ModelBuilder, plan: LoraPlan, shape: LinearShape, base: Linear): Linear {
  const a = builder.adapter([plan.r, shape.inputs], plan.dtype);
  const b = builder.adapter([shape.outputs, plan.r], plan.dtype);
  return (tape, input) =>
    tape.call([input], () => {
      const result = tape.name(base(tape, input));
      const { dtype } = result;
      const x = tape.name(to(tape, input, plan.dtype));
      const dropped = plan.dropout > 0 ? dropout(tape, x) : x;
      const update = scale(tape, linear(tape, linear(tape, dropped, a, null), b, null));
      return to(tape, tape.rename(result, add(tape, result, update)), dtype);
    });
}

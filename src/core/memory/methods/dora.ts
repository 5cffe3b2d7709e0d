import type { AdapterMethod } from '../adapterMethod';
import { to } from '../ops/cast';
import { linear } from '../ops/linear';
import { dropout } from '../ops/dropout';
import { add, mul, scale, shift } from '../ops/pointwise';
import type { Tape } from '../tape';

/** LoRA with the magnitude of each output trained apart: (m − 1) ∘ base + m ∘ update. */
export const dora: AdapterMethod = {
  names: ['dora'],
  title: 'DoRA',
  source: 'peft 0.21.2, tuners/lora/dora.py, DoraLinearLayer.forward',
  ranked: true,
  linear({ builder, plan, shape, base }) {
    const a = builder.adapter([plan.r, shape.inputs], plan.dtype);
    const b = builder.adapter([shape.outputs, plan.r], plan.dtype);
    const magnitude = builder.adapter([shape.outputs], plan.dtype);
    return (tape, input) =>
      tape.call([input], () => {
        const result = tape.name(base(tape, input));
        const cast = tape.name(to(tape, input, plan.dtype));
        const x = tape.name(dropout(tape, cast, plan.dropout));
        weightNorms(tape, shape.inputs, shape.outputs);
        const factor = tape.name(scale(tape, magnitude));
        const update = tape.name(linear(tape, linear(tape, x, a, null), b, null));
        const direct = mul(tape, shift(tape, factor), result);
        const change = add(tape, direct, scale(tape, mul(tape, factor, update)));
        const sum = tape.rename(result, add(tape, result, change));
        return to(tape, sum, input.dtype);
      });
  },
};

/** Norms of the rows of W + B·A, without a gradient: an identity, the product, the weight in fp32, their sum. */
function weightNorms(tape: Tape, inputs: number, outputs: number): void {
  const identity = tape.empty(inputs * inputs, 'fp32');
  const product = tape.done(tape.empty(outputs * inputs, 'fp32'), identity);
  const weight = tape.empty(outputs * inputs, 'fp32');
  const scaled = tape.empty(outputs * inputs, 'fp32');
  const sum = tape.done(tape.empty(outputs * inputs, 'fp32'), scaled);
  for (const tensor of [product, weight, sum]) tape.spend(tensor);
}

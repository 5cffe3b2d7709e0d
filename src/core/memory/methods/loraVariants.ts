import { withUpdate } from '../adapterMethod';
import type { AdapterMethod } from '../adapterMethod';
import { to } from '../ops/cast';
import { add, dropout, mul, scale, shift } from '../ops/pointwise';
import { linear, matmul } from '../ops/linear';
import type { Tape } from '../tape';

/** Initial rank of adaptive ranks: PEFT starts with 12 (AdaLoraConfig.init_r), and ignores a config's `r`. */
const INITIAL_RANK = 12;

/** LoRA as a singular value decomposition: x · (A · E)ᵀ · Bᵀ. */
export const adalora: AdapterMethod = {
  names: ['adalora'],
  title: 'AdaLoRA',
  source: 'peft 0.21.2, tuners/adalora/layer.py',
  ranked: false,
  linear(site) {
    const { builder, plan, shape } = site;
    const r = Math.max(plan.r, INITIAL_RANK);
    const a = builder.adapter([r, shape.inputs], plan.dtype);
    const e = builder.adapter([r, 1], plan.dtype);
    const b = builder.adapter([shape.outputs, r], plan.dtype);
    return withUpdate(site, (tape, x) => {
      const narrow = matmul(tape, x, mul(tape, a, e), null, [r, shape.inputs]);
      const wide = matmul(tape, narrow, b, null, [shape.outputs, r]);
      return scale(tape, scale(tape, wide));
    });
  },
};

/**
 * LoRA with normalized factors and a trained strength: weights x by the weight's norms, and scales the narrow side.
 */
export const delora: AdapterMethod = {
  names: ['delora'],
  title: 'DeLoRA',
  source: 'peft 0.21.2, tuners/delora/layer.py',
  ranked: true,
  linear(site) {
    const { builder, plan, shape } = site;
    const a = builder.adapter([plan.r, shape.inputs], plan.dtype);
    const b = builder.adapter([shape.outputs, plan.r], plan.dtype);
    const strength = builder.adapter([1], plan.dtype);
    return withUpdate(site, (tape, x) => {
      const narrow = linear(tape, scale(tape, x), a, null);
      return linear(tape, mul(tape, narrow, strength), b, null);
    });
  },
};

/** LoRA with a separately trained magnitude per output: (m − 1) ∘ base + m ∘ update. */
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

/** LoRA with a frozen first matrix: its inputs are not kept (the optimizer's factory freezes it). */
export const loraFa: AdapterMethod = {
  names: ['lora-fa'],
  title: 'LoRA-FA',
  source: 'peft 0.21.2, optimizers/lorafa.py, create_lorafa_optimizer',
  ranked: true,
  linear({ builder, plan, shape, base }) {
    const { r, dtype } = plan;
    const a = builder.extras.held([r, shape.inputs], dtype);
    const b = builder.adapter([shape.outputs, r], dtype);
    return (tape, input) =>
      tape.call([input], () => {
        const result = tape.name(base(tape, input));
        const x = tape.name(to(tape, input, dtype));
        const narrow = matmul(tape, dropout(tape, x, plan.dropout), a, null, [r, shape.inputs]);
        const update = scale(tape, linear(tape, narrow, b, null));
        const sum = tape.rename(result, add(tape, result, update));
        return to(tape, sum, input.dtype);
      });
  },
};

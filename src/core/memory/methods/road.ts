import type { AdapterMethod } from '../adapterMethod';
import { to } from '../ops/cast';
import { add, mul, scale } from '../ops/pointwise';

/** The layer's output is rotated in pairs: result ∘ cos + turned(result) ∘ sin. */
export const road: AdapterMethod = {
  names: ['road'],
  title: 'RoAd',
  source: 'peft 0.21.2, tuners/road/layer.py, _apply_road',
  ranked: false,
  linear({ builder, plan, shape, base }) {
    const theta = builder.adapter([shape.outputs / 2], plan.dtype);
    const alpha = builder.adapter([shape.outputs / 2], plan.dtype);
    return (tape, input) =>
      tape.call([input], () => {
        const plain = tape.name(base(tape, input));
        const result = tape.name(to(tape, plain, plan.dtype));
        const turned = tape.name(scale(tape, result));
        const direct = mul(tape, result, theta);
        return to(tape, add(tape, direct, mul(tape, turned, alpha)), plain.dtype);
      });
  },
};

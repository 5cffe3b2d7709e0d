import type { AdapterMethod } from '../adapterMethod';
import { to } from '../ops/cast';
import { matmul } from '../ops/linear';
import { add, scale } from '../ops/pointwise';
import { copy } from '../ops/shape';
import { lower } from '../transforms/autocast';

/** functional/general.py, factorization: the factor itself if it divides, else the nearest smaller divisor. */
function split(size: number, factor: number): readonly [number, number] {
  if (size % factor === 0) return [Math.min(factor, size / factor), Math.max(factor, size / factor)];
  let low = Math.min(factor, Math.floor(Math.sqrt(size)));
  while (size % low !== 0) low -= 1;
  return [low, size / low];
}

/** Layers of an MLP, which may have a different factor. */
const MLP = /(?:^|\.)(?:net\.|proj$|linear_)/;

/** LyCORIS' LoKr with a full second matrix, applied to the input instead of the weight (bypass_mode). */
export const lycorisLokr: AdapterMethod = {
  names: ['lycoris-lokr'],
  title: 'LoKr (LyCORIS)',
  source: 'lycoris-lora 4.1.3, functional/lokr.py, _kron_bypass; modules/lokr.py, bypass_forward',
  ranked: false,
  linear({ builder, plan, shape, base }) {
    const { attention = 1, mlp = attention } = plan.factors ?? {};
    const factor = MLP.test(shape.name) ? mlp : attention;
    const [outLow, outHigh] = split(shape.outputs, factor);
    const [inLow, inHigh] = split(shape.inputs, factor);
    const w1 = builder.adapter([outLow, inLow], plan.dtype);
    const w2 = builder.adapter([outHigh, inHigh], plan.dtype);
    return (tape, input) =>
      tape.call([input], () => {
        const result = tape.name(base(tape, input));
        const [small, large] = [w1, w2].map(one => tape.name(lower(tape, to(tape, one, input.dtype))));
        const x = lower(tape, input);
        const grouped = matmul(tape, x, large ?? w2, null, [outHigh, inHigh]);
        const crossed = matmul(tape, copy(tape, grouped), small ?? w1, null, [outLow, inLow]);
        const update = scale(tape, scale(tape, copy(tape, crossed)));
        return add(tape, result, update);
      });
  },
};

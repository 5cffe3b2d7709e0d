import { add, mul, scale, to } from '../ops/pointwise';
import { cat, slice } from '../ops/shape';
import type { Tape } from '../tape';
import type { Element, Tensor } from '../tensor';

export interface Rotation {
  readonly cos: Tensor;
  readonly sin: Tensor;
}

/** LlamaRotaryEmbedding: cosine and sine of every position and frequency, computed in fp32 (under no_grad). */
export function rotaryEmbedding(tape: Tape, positions: Tensor, headDim: number, dtype: Element): Rotation {
  const [cos, sin] = tape.call([positions], () => {
    const wide = to(tape, positions, 'fp32');
    const frequencies = tape.name(tape.done(tape.empty((positions.elements * headDim) / 2, 'fp32'), wide));
    const angles = tape.name(cat(tape, frequencies, frequencies));
    const cosine = tape.name(scale(tape, tape.like(angles)));
    const sine = tape.name(scale(tape, tape.like(angles)));
    return [to(tape, cosine, dtype), to(tape, sine, dtype)] as const;
  });
  return { cos, sin };
}

/** x · cos + rotate_half(x) · sin. */
export function rotated(tape: Tape, x: Tensor, { cos, sin }: Rotation): Tensor {
  const direct = mul(tape, x, cos);
  return add(tape, direct, mul(tape, rotateHalf(tape, x), sin));
}

function rotateHalf(tape: Tape, x: Tensor): Tensor {
  return tape.call([x], () => {
    const first = tape.name(slice(tape, x, x.elements / 2));
    const second = tape.name(slice(tape, x, x.elements / 2));
    return cat(tape, scale(tape, second), first);
  });
}

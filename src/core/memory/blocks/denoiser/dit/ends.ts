import type { Builder } from '../../../modules';
import { plainLayerNorm } from '../../../ops/norm';
import { to } from '../../../ops/cast';
import { activation, mul, shift } from '../../../ops/pointwise';
import { split } from '../../../ops/shape';
import type { Tape } from '../../../tape';
import type { Tensor } from '../../../tensor';
import { modulate } from '../timeEmbedding';

interface EndShape {
  readonly width: number;
  /** Elements per patch. */
  readonly outputs: number;
  readonly bias: boolean;
  readonly normed?: boolean;
}

/**
 * AdaLayerNormContinuous (diffusers, models/normalization.py), then the projection to patches. AuraFlowPreFinalBlock
 * has no norm.
 */
export function buildModulatedEnd(builder: Builder, { width, outputs, bias, normed = true }: EndShape) {
  const vectors = builder.linear({ name: 'norm_out.linear', inputs: width, outputs: 2 * width, bias });
  const project = builder.linear({ name: 'proj_out', inputs: width, outputs, bias });
  return (tape: Tape, x: Tensor, time: Tensor): Tensor =>
    tape.call([x, time], () => {
      const all = vectors(tape, to(tape, activation(tape, time), x.dtype));
      const cut = split(tape, all, [all.elements / 2, all.elements / 2]).map(one => tape.name(one));
      const [factor = time, offset = time] = cut;
      const states = tape.name(modulate(tape, normed ? plainLayerNorm(tape, x, width) : x, factor, offset));
      return project(tape, states);
    });
}

/** A norm without weights times a factor from the time step, then the projection to patches (Lumina 2, Z-Image). */
export function buildFactorEnd(
  builder: Builder,
  { width, outputs, bias, timeSize }: EndShape & { readonly timeSize: number },
) {
  const vector = builder.linear({ name: 'norm_out.linear_1', inputs: timeSize, outputs: width, bias });
  const project = builder.linear({ name: 'norm_out.linear_2', inputs: width, outputs, bias });
  return (tape: Tape, x: Tensor, time: Tensor): Tensor =>
    tape.call([x, time], () => {
      const factor = tape.name(shift(tape, vector(tape, activation(tape, time))));
      return project(tape, mul(tape, plainLayerNorm(tape, x, width), factor));
    });
}

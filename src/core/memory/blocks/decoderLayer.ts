import type { Linear } from '../modules';
import { activation, add, mul } from '../ops/pointwise';
import type { Tape } from '../tape';
import type { Parameter, Tensor } from '../tensor';
import { selfAttention } from './attention';
import type { AttentionContext, AttentionModules } from './attention';
import { rmsNorm } from './norm';

export interface GatedMlp {
  readonly gate: Linear;
  readonly up: Linear;
  readonly down: Linear;
}

export interface DecoderLayer {
  readonly attention: AttentionModules;
  readonly mlp: GatedMlp;
  readonly attentionNorm: Parameter;
  readonly mlpNorm: Parameter;
}

/** LlamaDecoderLayer: norm, attention, residual; norm, gated MLP, residual. */
export function decoderLayer(tape: Tape, x: Tensor, layer: DecoderLayer, context: AttentionContext): Tensor {
  return tape.call([x], () => {
    const normed = tape.name(rmsNorm(tape, x, layer.attentionNorm));
    const [mixed = normed, ...weights] = selfAttention(tape, normed, layer.attention, context);
    const attended = tape.rename(normed, mixed);
    for (const kept of weights) tape.name(kept);
    const middle = tape.rename(attended, add(tape, x, attended));
    const normedMiddle = tape.name(rmsNorm(tape, middle, layer.mlpNorm));
    const out = tape.rename(normedMiddle, gatedMlp(tape, normedMiddle, layer.mlp));
    return add(tape, middle, out);
  });
}

/** down(act(gate(x)) · up(x)). */
function gatedMlp(tape: Tape, x: Tensor, { gate, up, down }: GatedMlp): Tensor {
  return tape.call([x], () => {
    const gated = activation(tape, gate(tape, x));
    return down(tape, mul(tape, gated, up(tape, x)));
  });
}

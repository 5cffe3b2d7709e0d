import type { Builder } from '../modules';
import { add, scale } from '../ops/pointwise';
import type { Tape } from '../tape';
import type { Parameter, Tensor } from '../tensor';
import type { ModelFacts } from '../../models/model';
import { selfAttention } from './attention';
import type { AttentionContext, AttentionModules } from './attention';
import { buildGatedMlp, gatedMlp } from './gatedMlp';
import type { GatedMlp } from './gatedMlp';
import { rmsNorm } from './norm';

export interface DecoderLayer {
  readonly attention: AttentionModules;
  readonly mlp: GatedMlp;
  readonly attentionNorm: Parameter;
  readonly mlpNorm: Parameter;
}

/** The parameters of a LlamaDecoderLayer, in its order. */
export function buildDecoderLayer(builder: Builder, model: ModelFacts): DecoderLayer {
  const { hiddenSize, intermediateSize, heads, kvHeads, headDim, qkvBias, attentionOutBias, mlpBias } = model;
  const project = (name: string, outputs: number) => ({ name, inputs: hiddenSize, outputs, bias: qkvBias });
  const inputs = [
    project('q_proj', heads * headDim),
    project('k_proj', kvHeads * headDim),
    project('v_proj', kvHeads * headDim),
  ];
  const output = { name: 'o_proj', inputs: heads * headDim, outputs: hiddenSize, bias: attentionOutBias };
  return {
    attention: { inputs: builder.projections(inputs), output: builder.projections([output]) },
    mlp: buildGatedMlp(builder, hiddenSize, intermediateSize, mlpBias),
    attentionNorm: builder.vector(hiddenSize),
    mlpNorm: builder.vector(hiddenSize),
  };
}

/** LlamaDecoderLayer: norm, attention, residual; norm, gated MLP, residual. Granite scales what it adds. */
export function decoderLayer(tape: Tape, x: Tensor, layer: DecoderLayer, context: AttentionContext): Tensor {
  const { kernels, scaledResiduals } = context;
  const residual = (base: Tensor, change: Tensor): Tensor =>
    add(tape, base, scaledResiduals ? scale(tape, change) : change);
  return tape.call([x], () => {
    const normed = tape.name(rmsNorm(tape, x, layer.attentionNorm, kernels.rmsNorm));
    const [mixed = normed, ...weights] = selfAttention(tape, normed, layer.attention, context);
    const attended = tape.rename(normed, mixed);
    for (const kept of weights) tape.name(kept);
    const middle = tape.rename(attended, residual(x, attended));
    const normedMiddle = tape.name(rmsNorm(tape, middle, layer.mlpNorm, kernels.rmsNorm));
    const out = tape.rename(normedMiddle, gatedMlp(tape, normedMiddle, layer.mlp, kernels.gatedMlp));
    return residual(middle, out);
  });
}

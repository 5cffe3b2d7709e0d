import type { ModelFacts } from '../../models/model';
import type { Architecture } from '../architecture';
import type { DecoderDesign } from '../blocks/decoder';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { headsThenSplit } from '../blocks/fusedProjections';
import { parallelLayer } from '../blocks/layers';
import { buildPlainMlp } from '../blocks/mlp';
import { buildLayerNorm } from '../blocks/norm';
import { inputShape, outputShape } from '../blocks/projections';
import { partsTurned } from '../blocks/rotary';
import { stated } from '../facts';

const share = (model: ModelFacts): number => stated(model, 'rotary_pct', 0.25);

const design: DecoderDesign = {
  layer(builder, { model, behaviour }) {
    // A causal pattern of its own in every layer (transformers 4.40.1, GPTNeoXAttention._init_bias).
    if (behaviour.generation.cache === 'tuples') builder.buffer((model.maxPositions ?? 0) ** 2);
    const norm = () => buildLayerNorm(builder, model.hiddenSize);
    const norms = [norm(), norm()] as const;
    const project = headsThenSplit(
      model,
      builder.linear(inputShape(model, 'query_key_value', 3 * model.hiddenSize)),
    );
    const output = builder.linear(outputShape(model, 'dense'));
    const attention = { project, turn: partsTurned(share(model)), byHead: 'turned' as const, output };
    const mlp = buildPlainMlp(builder, model, { up: 'dense_h_to_4h', down: 'dense_4h_to_h' });
    return parallelLayer({ attention, mlp, norms });
  },
  norm: (builder, { model }) => buildLayerNorm(builder, model.hiddenSize),
  rotated: model => model.headDim * share(model),
};

/** Attention and MLP side by side, LayerNorm, a part of each head turned (Pythia). */
export const gptNeox: Architecture = decoderArchitecture({
  modelTypes: ['gpt_neox'],
  source: 'transformers 5.23.0, models/gpt_neox/modeling_gpt_neox.py',
  // Rotation in fp32, keys kept in fp32 beside the graph, a causal pattern in every layer.
  since: '4.49',
  missing: ({ extra }) =>
    extra['parallel_residual'] === false ? ['the memory of gpt_neox with the MLP after the attention'] : [],
  design,
});

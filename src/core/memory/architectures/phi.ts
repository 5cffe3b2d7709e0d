import type { ModelFacts } from '../../models/model';
import type { Architecture } from '../architecture';
import type { DecoderDesign } from '../blocks/decoder';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { sharedNormLayer } from '../blocks/layers';
import { buildPlainMlp } from '../blocks/mlp';
import { buildLayerNorm } from '../blocks/norm';
import { separateAttention } from '../blocks/projections';
import { partTurnedInline } from '../blocks/rotary';
import { stated } from '../configValues';

const share = (model: ModelFacts): number => stated(model, 'partial_rotary_factor', 0.5);

const design: DecoderDesign = {
  layer(builder, { model }) {
    const turn = partTurnedInline(share(model));
    const attention = {
      ...separateAttention(builder, model, { turn, outputName: 'dense' }),
      byHead: 'turned' as const,
    };
    const mlp = buildPlainMlp(builder, model, { up: 'fc1', down: 'fc2' });
    return sharedNormLayer(buildLayerNorm(builder, model.hiddenSize), { attention, mlp });
  },
  norm: (builder, { model }) => buildLayerNorm(builder, model.hiddenSize),
  rotated: model => model.headDim * share(model),
};

/** Attention and MLP side by side over one LayerNorm, biases everywhere (Phi 1, 1.5 and 2). */
export const phi: Architecture = decoderArchitecture({
  modelTypes: ['phi'],
  source: 'transformers 5.23.0, models/phi/modeling_phi.py',
  design,
});

import type { ModelFacts } from '../../models/model';
import type { Architecture } from '../architecture';
import type { DecoderDesign } from '../blocks/decoder';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { inlineLayer, sharedNormLayer } from '../blocks/layers';
import { buildGatedMlp } from '../blocks/mlp';
import { buildLayerNorm } from '../blocks/norm';
import { separateAttention } from '../blocks/projections';
import { partTurnedInline } from '../blocks/rotary';
import { stated } from '../configValues';

const share = (model: ModelFacts): number => stated(model, 'partial_rotary_factor', 0.25);

const design: DecoderDesign = {
  layer(builder, run) {
    const { model } = run;
    const attention = {
      ...separateAttention(builder, model, { turn: partTurnedInline(share(model)) }),
      byHead: 'turned' as const,
    };
    const mlp = buildGatedMlp(builder, run);
    const norm = () => buildLayerNorm(builder, model.hiddenSize);
    return model.normsPerLayer === 1
      ? sharedNormLayer(norm(), { attention, mlp })
      : inlineLayer({ attention, mlp, norms: [norm(), norm()] });
  },
  norm: (builder, { model }) => buildLayerNorm(builder, model.hiddenSize),
  rotated: model => model.headDim * share(model),
};

/** Llama with LayerNorm, and a part of each head rotated. */
export const stablelm: Architecture = decoderArchitecture({
  modelTypes: ['stablelm'],
  source: 'transformers 5.23.0, models/stablelm/modeling_stablelm.py',
  missing: ({ qkNorm }) => (qkNorm === null ? [] : ['the memory of norms over queries and keys in stablelm']),
  design,
});

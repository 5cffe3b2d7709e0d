import type { Architecture } from '../architecture';
import type { DecoderDesign } from '../blocks/decoder';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { sequentialLayer } from '../blocks/layers';
import { buildPlainMlp } from '../blocks/mlp';
import { buildLayerNorm } from '../blocks/norm';
import { separateAttention } from '../blocks/projections';
import { turned } from '../blocks/rotary';
import { stated } from '../configValues';

const design: DecoderDesign = {
  layer(builder, { model, task }) {
    const attention = separateAttention(builder, model, { turn: turned });
    const rate = task === 'train' ? stated(model, 'residual_dropout', 0) : 0;
    const mlp = buildPlainMlp(builder, model, { up: 'c_fc', down: 'c_proj' }, rate);
    const norm = () => buildLayerNorm(builder, model.hiddenSize);
    return sequentialLayer({ attention, mlp, norms: [norm(), norm()] });
  },
  norm: (builder, { model }) => buildLayerNorm(builder, model.hiddenSize),
  rotated: ({ headDim }) => headDim,
  kinds: () => ['sliding'],
  embeddingDropout: model => stated(model, 'embedding_dropout', 0),
  attentionDropout: model => stated(model, 'attention_dropout', 0),
};

/** LayerNorm, biases and an MLP without a gate in Llama's order. */
export const starcoder2: Architecture = decoderArchitecture({
  modelTypes: ['starcoder2'],
  source: 'transformers 5.23.0, models/starcoder2/modeling_starcoder2.py',
  design,
});

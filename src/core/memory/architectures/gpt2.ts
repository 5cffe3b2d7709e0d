import type { Architecture } from '../architecture';
import type { DecoderDesign } from '../blocks/decoder';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { headsThenSplit, splitThenHeads } from '../blocks/fusedProjections';
import { gptDesign } from '../blocks/gptDesign';
import { sequentialLayer } from '../blocks/layers';
import { buildPlainMlp } from '../blocks/mlp';
import { buildLayerNorm } from '../blocks/norm';
import { learnedPositions } from '../blocks/prepare';
import { separateAttention } from '../blocks/projections';
import { turned } from '../blocks/rotary';
import { stated } from '../configValues';

/** Learned positions, LayerNorm, one projection for query, key and value, dropout. */
export const gpt2: Architecture = decoderArchitecture({
  modelTypes: ['gpt2'],
  source: 'transformers 5.23.0, models/gpt2/modeling_gpt2.py',
  design: gptDesign({ project: splitThenHeads, softmax: 'own, cast back' }),
});

/** The causal pattern of all positions is stored with the weights. */
const prepare: DecoderDesign['prepare'] = (builder, run, design) => {
  builder.buffer((run.model.maxPositions ?? 0) ** 2);
  return learnedPositions(builder, run, design);
};

/** GPT-2 with one key and value head (StarCoder). */
export const gptBigcode: Architecture = decoderArchitecture({
  modelTypes: ['gpt_bigcode'],
  source: 'transformers 5.23.0, models/gpt_bigcode/modeling_gpt_bigcode.py',
  design: {
    ...gptDesign({
      project: (model, linear) =>
        model.kvHeads === 1 ? splitThenHeads(model, linear) : headsThenSplit(model, linear),
      softmax: 'fp32',
    }),
    prepare,
  },
});

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

/** LayerNorm, biases and an ungated MLP in Llama's order. */
export const starcoder2: Architecture = decoderArchitecture({
  modelTypes: ['starcoder2'],
  source: 'transformers 5.23.0, models/starcoder2/modeling_starcoder2.py',
  design,
});

import type { Architecture } from '../architecture';
import type { DecoderDesign } from '../blocks/decoder';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { splitThenHeads } from '../blocks/fusedProjections';
import { keepingLayer } from '../blocks/layers';
import { buildPlainMlp } from '../blocks/mlp';
import { buildLayerNorm } from '../blocks/norm';
import { learnedPositions } from '../blocks/prepare';
import { inputShape, outputShape } from '../blocks/projections';
import { turned } from '../blocks/rotary';
import { stated } from '../facts';
import type { Step } from '../modules';
import { dropout } from '../ops/dropout';

/** GPT2Config's rates. */
const DROPOUT = 0.1;

const design: DecoderDesign = {
  prepare: learnedPositions,
  layer(builder, { model, task }) {
    const rate = task === 'train' ? stated(model, 'resid_pdrop', DROPOUT) : 0;
    const norm = () => buildLayerNorm(builder, model.hiddenSize);
    const first = norm();
    const all = 3 * model.hiddenSize;
    const project = splitThenHeads(model, builder.linear(inputShape(model, 'c_attn', all)));
    const merge = builder.linear(outputShape(model, 'c_proj'));
    const output: Step = (tape, x) => {
      const merged = tape.name(merge(tape, x));
      return dropout(tape, merged, rate);
    };
    const second = norm();
    const mlp = buildPlainMlp(builder, model, { up: 'c_fc', down: 'c_proj' }, rate);
    const attention = { project, turn: turned, output };
    return keepingLayer({ attention, mlp, norms: [first, second] });
  },
  norm: (builder, { model }) => buildLayerNorm(builder, model.hiddenSize),
  rotated: () => 0,
  softmax: 'own, cast back',
  embeddingDropout: model => stated(model, 'embd_pdrop', DROPOUT),
  attentionDropout: model => stated(model, 'attn_pdrop', DROPOUT),
};

/** Learned positions, LayerNorm, one projection for query, key and value, dropout. */
export const gpt2: Architecture = decoderArchitecture({
  modelTypes: ['gpt2'],
  source: 'transformers 5.23.0, models/gpt2/modeling_gpt2.py',
  design,
});

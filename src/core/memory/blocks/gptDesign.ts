import type { ModelFacts } from '../../models/model';
import { stated } from '../configValues';
import type { Linear, Step } from '../modules';
import { dropout } from '../ops/pointwise';
import type { Project } from './attention';
import type { DecoderDesign } from './decoder';
import type { EagerSoftmax } from './eagerAttention';
import { keepingLayer } from './layers';
import { buildPlainMlp } from './mlp';
import { buildLayerNorm } from './norm';
import { learnedPositions } from './prepare';
import { inputShape, outputShape } from './projections';
import { turned } from './rotary';

/** Defaults of GPT2Config and GPTBigCodeConfig. */
const DROPOUT = 0.1;

/** Differences between members of the family. */
interface GptOptions {
  /** How one projection is split into queries, keys and values. */
  readonly project: (model: ModelFacts, linear: Linear) => Project;
  readonly softmax: EagerSoftmax;
}

/** Learned positions, LayerNorm, one projection for query, key and value, dropout. */
export function gptDesign({ project, softmax }: GptOptions): DecoderDesign {
  return {
    prepare: learnedPositions,
    layer(builder, { model, task }) {
      const rate = task === 'train' ? stated(model, 'resid_pdrop', DROPOUT) : 0;
      const norm = (): Step => buildLayerNorm(builder, model.hiddenSize);
      const first = norm();
      const all = (model.heads + 2 * model.kvHeads) * model.headDim;
      const projected = project(model, builder.linear(inputShape(model, 'c_attn', all)));
      const merge = builder.linear(outputShape(model, 'c_proj'));
      const output: Step = (tape, x) => {
        const merged = tape.name(merge(tape, x));
        return dropout(tape, merged, rate);
      };
      const second = norm();
      const mlp = buildPlainMlp(builder, model, { up: 'c_fc', down: 'c_proj' }, rate);
      const attention = { project: projected, turn: turned, output };
      return keepingLayer({ attention, mlp, norms: [first, second] });
    },
    norm: (builder, { model }) => buildLayerNorm(builder, model.hiddenSize),
    rotated: () => 0,
    softmax,
    embeddingDropout: model => stated(model, 'embd_pdrop', DROPOUT),
    attentionDropout: model => stated(model, 'attn_pdrop', DROPOUT),
  };
}

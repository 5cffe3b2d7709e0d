import type { ModelFacts } from '../../models/model';
import type { Architecture } from '../architecture';
import type { DecoderDesign } from '../blocks/decoder';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { sliced } from '../blocks/fusedProjections';
import { sequentialLayer, sharedNormLayer } from '../blocks/layers';
import { buildFusedGatedMlp, buildPlainMlp } from '../blocks/mlp';
import { buildLayerNorm, buildRmsNorm } from '../blocks/norm';
import { inputShape, outputShape, separateAttention } from '../blocks/projections';
import { partTurned, partTurnedInline } from '../blocks/rotary';
import { stated } from '../configValues';
import { dropout } from '../ops/pointwise';

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

/** Attention and MLP in parallel over one LayerNorm, biases everywhere (Phi 1, 1.5 and 2). */
export const phi: Architecture = decoderArchitecture({
  modelTypes: ['phi'],
  source: 'transformers 5.23.0, models/phi/modeling_phi.py',
  design,
});

const phi3Share = (model: ModelFacts): number => stated(model, 'partial_rotary_factor', 1);

const phi3Design: DecoderDesign = {
  layer(builder, run) {
    const { model, task } = run;
    const output = builder.linear(outputShape(model, 'o_proj'));
    const all = (model.heads + 2 * model.kvHeads) * model.headDim;
    const project = sliced(model, builder.linear(inputShape(model, 'qkv_proj', all)));
    const mlp = buildFusedGatedMlp(builder, run);
    const norms = [buildRmsNorm(builder, run), buildRmsNorm(builder, run)] as const;
    const rate = task === 'train' ? stated(model, 'resid_pdrop', 0) : 0;
    const attention = { project, turn: partTurned(phi3Share(model)), byHead: 'turned' as const, output };
    return sequentialLayer({ attention, mlp, norms, change: (tape, x) => dropout(tape, x, rate) });
  },
  norm: buildRmsNorm,
  rotated: model => model.headDim * phi3Share(model),
  kinds: () => ['sliding'],
};

/** Llama with one projection for query, key and value, and one for gate and up. */
export const phi3: Architecture = decoderArchitecture({
  modelTypes: ['phi3'],
  source: 'transformers 5.23.0, models/phi3/modeling_phi3.py',
  design: phi3Design,
});

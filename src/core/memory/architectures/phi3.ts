import type { ModelFacts } from '../../models/model';
import type { Architecture } from '../architecture';
import type { DecoderDesign } from '../blocks/decoder';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { sliced } from '../blocks/fusedProjections';
import { sequentialLayer } from '../blocks/layers';
import { buildFusedGatedMlp } from '../blocks/mlp';
import { buildRmsNorm } from '../blocks/norm';
import { inputShape, outputShape } from '../blocks/projections';
import { partTurned } from '../blocks/rotary';
import { stated } from '../configValues';
import { dropout } from '../ops/dropout';

const share = (model: ModelFacts): number => stated(model, 'partial_rotary_factor', 1);

const design: DecoderDesign = {
  layer(builder, run) {
    const { model, task } = run;
    const output = builder.linear(outputShape(model, 'o_proj'));
    const all = (model.heads + 2 * model.kvHeads) * model.headDim;
    const project = sliced(model, builder.linear(inputShape(model, 'qkv_proj', all)));
    const mlp = buildFusedGatedMlp(builder, run);
    const norms = [buildRmsNorm(builder, run), buildRmsNorm(builder, run)] as const;
    const rate = task === 'train' ? stated(model, 'resid_pdrop', 0) : 0;
    const attention = { project, turn: partTurned(share(model)), byHead: 'turned' as const, output };
    return sequentialLayer({ attention, mlp, norms, change: (tape, x) => dropout(tape, x, rate) });
  },
  norm: buildRmsNorm,
  rotated: model => model.headDim * share(model),
  kinds: () => ['sliding'],
};

/** Llama with one projection for query, key and value, and one for gate and up. */
export const phi3: Architecture = decoderArchitecture({
  modelTypes: ['phi3'],
  source: 'transformers 5.23.0, models/phi3/modeling_phi3.py',
  design,
});

import type { ModelFacts } from '../../models/model';
import type { Architecture } from '../architecture';
import type { DecoderDesign } from '../blocks/decoder';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { sequentialLayer } from '../blocks/layers';
import { buildFusedGatedMlp } from '../blocks/mlp';
import { buildRmsNorm } from '../blocks/norm';
import { separateAttention } from '../blocks/projections';
import { partTurned } from '../blocks/rotary';
import { stated } from '../configValues';
import type { Step } from '../modules';

const share = (model: ModelFacts): number => stated(model, 'partial_rotary_factor', 0.5);

const design: DecoderDesign = {
  layer(builder, run) {
    const { model } = run;
    const separate = separateAttention(builder, model, { turn: partTurned(share(model)) });
    const attention = { ...separate, byHead: 'turned' as const };
    const mlp = buildFusedGatedMlp(builder, run);
    const norm = (): Step => buildRmsNorm(builder, run);
    const norms = [norm(), norm()] as const;
    return model.normsPerLayer === 4
      ? sequentialLayer({ attention, mlp, norms, after: [norm(), norm()] })
      : sequentialLayer({ attention, mlp, norms });
  },
  norm: buildRmsNorm,
  rotated: model => model.headDim * share(model),
};

/**
 * Llama with half of each head rotated, and one projection for gate and up; GLM 4 also has norms after attention
 * and MLP.
 */
export const glm: Architecture = decoderArchitecture({
  modelTypes: ['glm', 'glm4'],
  source: 'transformers 5.23.0, models/glm/modeling_glm.py, models/glm4/modeling_glm4.py',
  design,
});

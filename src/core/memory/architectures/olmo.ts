import type { Architecture } from '../architecture';
import type { DecoderDesign } from '../blocks/decoder';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { layerTypes } from '../blocks/layerKinds';
import { normedAfterLayer } from '../blocks/layers';
import { buildGatedMlp } from '../blocks/mlp';
import { buildRmsNorm, buildWideRmsNorm } from '../blocks/norm';
import { separateAttention } from '../blocks/projections';
import { turned } from '../blocks/rotary';
import type { Builder, Step } from '../modules';
import type { MemoryRun } from '../run';

/** Creates a norm of the given size; default: the hidden size. */
type BuildNorm = (builder: Builder, run: MemoryRun, size?: number) => Step;

/** The period of layers with global attention: the default of Olmo3Config and Exaone4Config. */
const PATTERN = 4;

/** Norms after attention and MLP but not before; norms on queries and keys, too. */
function normedAfterDesign(buildNorm: BuildNorm): DecoderDesign {
  return {
    layer(builder, run) {
      const headNorm = (size: number): Step => buildNorm(builder, run, size);
      const normsWhole = run.model.qkNorm === 'full';
      const attention = separateAttention(builder, run.model, { turn: turned, headNorm, normsWhole });
      const mlp = buildGatedMlp(builder, run);
      return normedAfterLayer({ attention, mlp, norms: [buildNorm(builder, run), buildNorm(builder, run)] });
    },
    norm: buildNorm,
    rotated: ({ headDim }) => headDim,
    kinds: model => layerTypes(model, PATTERN),
  };
}

/** Norms after attention and MLP, and on whole queries and keys; windows in most layers of OLMo 3. */
export const olmo2: Architecture = decoderArchitecture({
  modelTypes: ['olmo2', 'olmo3'],
  source: 'transformers 5.23.0, models/olmo2/modeling_olmo2.py, models/olmo3/modeling_olmo3.py',
  design: normedAfterDesign(buildWideRmsNorm),
});

/** Norms after attention and MLP, and per head on queries and keys. */
export const exaone4: Architecture = decoderArchitecture({
  modelTypes: ['exaone4'],
  source: 'transformers 5.23.0, models/exaone4/modeling_exaone4.py',
  design: normedAfterDesign(buildRmsNorm),
});

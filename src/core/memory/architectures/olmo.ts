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

/** Makes a norm over so many elements, those of a hidden state where nothing is said. */
type BuildNorm = (builder: Builder, run: MemoryRun, size?: number) => Step;

/** Every so many layers one sees all: Olmo3Config's and Exaone4Config's own value. */
const PATTERN = 4;

/** Norms after attention and MLP, none before; norms over queries and keys, too. */
export function normedAfterDesign(buildNorm: BuildNorm): DecoderDesign {
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

/** Norms after attention and MLP, and over all queries and keys; in OLMo 3 windows in most layers. */
export const olmo2: Architecture = decoderArchitecture({
  modelTypes: ['olmo2', 'olmo3'],
  source: 'transformers 5.23.0, models/olmo2/modeling_olmo2.py, models/olmo3/modeling_olmo3.py',
  design: normedAfterDesign(buildWideRmsNorm),
});

/** Norms after attention and MLP, and over each head of queries and keys. */
export const exaone4: Architecture = decoderArchitecture({
  modelTypes: ['exaone4'],
  source: 'transformers 5.23.0, models/exaone4/modeling_exaone4.py',
  design: normedAfterDesign(buildRmsNorm),
});

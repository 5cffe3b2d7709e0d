import type { ModelFacts } from '../../models/model';
import type { Architecture } from '../architecture';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import type { LayerKind } from '../blocks/layerKinds';
import { stated } from '../configValues';
import { scale, tanh } from '../ops/pointwise';
import type { Step } from '../modules';
import type { DecoderDesign } from '../blocks/decoder';
import { sequentialLayer } from '../blocks/layers';
import { buildGatedMlp } from '../blocks/mlp';
import { buildGemmaNorm } from '../blocks/norm';
import { separateAttention } from '../blocks/projections';
import { turned, turnedInPlace } from '../blocks/rotary';

/** Differences between the releases of the family. */
interface GemmaOptions {
  /** Additional norms after attention and MLP. */
  readonly normsAfter?: boolean;
  /** Norms per head on queries and keys. */
  readonly headNorms?: boolean;
}

/** Llama's layer with Gemma's norms, and a word table that scales its output. */
function gemmaDesign({ normsAfter = false, headNorms = false }: GemmaOptions): DecoderDesign {
  return {
    layer(builder, run) {
      const turn = run.behavior.kernels.rotary ? turnedInPlace : turned;
      const headNorm = (size: number): Step => buildGemmaNorm(builder, run, size);
      const options = { turn, normsLater: true, ...(headNorms && { headNorm }) };
      const attention = separateAttention(builder, run.model, options);
      const mlp = buildGatedMlp(builder, run);
      const norm = (): Step => buildGemmaNorm(builder, run);
      if (!normsAfter) return sequentialLayer({ attention, mlp, norms: [norm(), norm()] });
      const [beforeAttention, afterAttention, beforeMlp, afterMlp] = [norm(), norm(), norm(), norm()];
      const norms = [beforeAttention, beforeMlp] as const;
      return sequentialLayer({ attention, mlp, norms, after: [afterAttention, afterMlp] });
    },
    norm: buildGemmaNorm,
    rotated: ({ headDim }) => headDim,
    scaledTable: true,
  };
}

/** Llama with Gemma's norms and scaled embeddings. */
export const gemma: Architecture = decoderArchitecture({
  modelTypes: ['gemma'],
  source: 'transformers 5.23.0, models/gemma/modeling_gemma.py',
  design: gemmaDesign({}),
});

/** Gemma with windows in every other layer, and scores and logits capped by tanh, for which SDPA has no kernel. */
export const gemma2: Architecture = decoderArchitecture({
  modelTypes: ['gemma2'],
  source: 'transformers 5.23.0, models/gemma2/modeling_gemma2.py',
  attention: 'eager',
  design: {
    ...gemmaDesign({ normsAfter: true }),
    kinds: () => ['sliding', 'full'],
    capsScores: true,
    logits: (tape, x) => scale(tape, tanh(tape, scale(tape, x))),
  },
});

/** The period of layers with global attention: the default of Gemma3TextConfig. */
const PATTERN = 6;

function kinds(model: ModelFacts): readonly LayerKind[] {
  const period = stated(model, 'sliding_window_pattern', PATTERN);
  return Array.from({ length: period }, (_, i) => (i + 1 < period ? 'sliding' : 'full'));
}

/** Gemma with windows in most layers, and norms per head on queries and keys. */
export const gemma3: Architecture = decoderArchitecture({
  modelTypes: ['gemma3_text'],
  source: 'transformers 5.23.0, models/gemma3/modeling_gemma3.py',
  design: { ...gemmaDesign({ normsAfter: true, headNorms: true }), kinds, rotationPerKind: true },
});

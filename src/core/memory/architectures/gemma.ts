import type { ModelFacts } from '../../models/model';
import type { Architecture } from '../architecture';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { gemmaDesign } from '../blocks/gemmaDesign';
import type { LayerKind } from '../blocks/layerKinds';
import { stated } from '../configValues';
import { scale, tanh } from '../ops/pointwise';

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

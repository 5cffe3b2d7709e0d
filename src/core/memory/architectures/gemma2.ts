import type { Architecture } from '../architecture';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { gemmaDesign } from '../blocks/gemmaDesign';
import { scale, tanh } from '../ops/pointwise';

/** Gemma with windows in every other layer; scores and logits squeezed by tanh, for which SDPA has no kernel. */
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

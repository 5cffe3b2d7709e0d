import type { Architecture } from '../architecture';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { llamaDesign } from '../blocks/llamaDesign';

/** Llama whose tokens see a window of those before them. */
export const mistral: Architecture = decoderArchitecture({
  modelTypes: ['mistral', 'ministral', 'ministral3'],
  source: 'transformers 5.23.0, models/mistral/modeling_mistral.py',
  design: { ...llamaDesign(), kinds: () => ['sliding'] },
});

import type { Architecture } from '../architecture';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { llamaDesign } from '../blocks/llamaDesign';

/** Llama with layers that know no positions, which are taken for the others. */
export const smollm3: Architecture = decoderArchitecture({
  modelTypes: ['smollm3'],
  source: 'transformers 5.23.0, models/smollm3/modeling_smollm3.py',
  design: llamaDesign(),
});

import type { Architecture } from '../architecture';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { buildRmsNorm } from '../blocks/norm';
import { normedAfterDesign } from '../blocks/normedAfterDesign';

/** Norms after attention and MLP, and over each head of queries and keys. */
export const exaone4: Architecture = decoderArchitecture({
  modelTypes: ['exaone4'],
  source: 'transformers 5.23.0, models/exaone4/modeling_exaone4.py',
  design: normedAfterDesign(buildRmsNorm),
});

import type { ModelFacts } from '../../models/model';
import type { Architecture } from '../architecture';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { gemmaDesign } from '../blocks/gemmaDesign';
import type { LayerKind } from '../blocks/layerKinds';
import { stated } from '../configValues';

/** Every so many layers one sees all: Gemma3TextConfig's own value. */
const PATTERN = 6;

function kinds(model: ModelFacts): readonly LayerKind[] {
  const period = stated(model, 'sliding_window_pattern', PATTERN);
  return Array.from({ length: period }, (_, i) => (i + 1 < period ? 'sliding' : 'full'));
}

/** Gemma with windows in most layers, and norms over each head of queries and keys. */
export const gemma3: Architecture = decoderArchitecture({
  modelTypes: ['gemma3_text'],
  source: 'transformers 5.23.0, models/gemma3/modeling_gemma3.py',
  design: { ...gemmaDesign({ normsAfter: true, headNorms: true }), kinds, rotationPerKind: true },
});

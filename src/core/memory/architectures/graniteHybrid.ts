import type { Architecture } from '../architecture';
import { commonDesign } from '../blocks/commonDesign';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { scale } from '../ops/pointwise';

/** Granite 4: attention in some layers or all, Mamba in the others; experts beside a shared MLP, or that alone. */
export const graniteHybrid: Architecture = decoderArchitecture({
  modelTypes: ['granitemoehybrid'],
  source: 'transformers 5.23.0, models/granitemoehybrid/modeling_granitemoehybrid.py',
  design: { ...commonDesign, embedded: scale, logits: scale },
});

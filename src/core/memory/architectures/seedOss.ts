import type { Architecture } from '../architecture';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { llamaDesign } from '../blocks/llamaDesign';
import { stated } from '../configValues';

/** Llama with biases and, where the config has it, dropout of what is added. */
export const seedOss: Architecture = decoderArchitecture({
  modelTypes: ['seed_oss'],
  source: 'transformers 5.23.0, models/seed_oss/modeling_seed_oss.py',
  design: llamaDesign({ residualDropout: model => stated(model, 'residual_dropout', 0.1) }),
});

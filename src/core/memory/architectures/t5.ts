import type { Architecture } from '../architecture';
import { buildT5 } from '../blocks/t5/model';

/** An encoder and a decoder with a learned attention bias by distance. */
export const t5: Architecture = {
  modelTypes: ['t5'],
  source: 'transformers 5.23.0, models/t5/modeling_t5.py',
  // Before, the model's own eager attention added the bias to the scores.
  since: '5.0',
  hasLayers: true,
  heads: ['seq2seq'],
  // scale_decoder_outputs: unless the file unties the head.
  build: (builder, run) => buildT5(builder, run, run.model.tiedEmbeddings),
};

/** Multilingual T5: no scaling before the head. */
export const mt5: Architecture = {
  modelTypes: ['mt5'],
  source: 'transformers 5.23.0, models/mt5/modeling_mt5.py',
  // Before, the model's own eager attention added the bias to the scores.
  since: '5.0',
  hasLayers: true,
  heads: ['seq2seq'],
  build: (builder, run) => buildT5(builder, run, false),
};

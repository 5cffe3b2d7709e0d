import type { Architecture } from '../architecture';
import { buildWav2Vec } from '../blocks/wav2vec/model';
import { framesOf } from '../blocks/wav2vec/shape';

/** Convolutions over a waveform, and an encoder over the frames that they make. */
export const wav2vec2: Architecture = {
  modelTypes: ['wav2vec2', 'hubert'],
  source: 'transformers 5.23.0, models/wav2vec2/modeling_wav2vec2.py, models/hubert/modeling_hubert.py',
  since: '4.53',
  samples: 'audio',
  hears: model => ({ kind: 'waveform', tokensOf: samples => framesOf(model, samples) }),
  hasLayers: true,
  heads: ['ctc', 'base', 'sequence-classification'],
  missing: ({ extra }) => (extra['add_adapter'] === true ? ["the memory of wav2vec2's adapter layers"] : []),
  build: buildWav2Vec,
};

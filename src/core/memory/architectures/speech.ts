import type { Architecture } from '../architecture';
import { buildWav2Vec } from '../blocks/wav2vec/model';
import { framesOf } from '../blocks/wav2vec/shape';
import { buildWhisper, spectrogramInput } from '../blocks/whisper/model';

/** Convolutions over a waveform, and an encoder over the resulting frames. */
export const wav2vec2: Architecture = {
  modelTypes: ['wav2vec2', 'hubert'],
  source: 'transformers 5.23.0, models/wav2vec2/modeling_wav2vec2.py, models/hubert/modeling_hubert.py',
  since: '4.53',
  samples: 'audio',
  audioInput: model => ({ kind: 'waveform', tokensOf: samples => framesOf(model, samples) }),
  hasLayers: true,
  heads: ['ctc', 'base', 'sequence-classification'],
  missing: ({ extra }) => (extra['add_adapter'] === true ? ["the memory of wav2vec2's adapter layers"] : []),
  build: buildWav2Vec,
};

/** An encoder over 30 seconds of audio, and a decoder for text. */
export const whisper: Architecture = {
  modelTypes: ['whisper'],
  source: 'transformers 5.23.0, models/whisper/modeling_whisper.py',
  since: '4.53',
  samples: 'audio',
  audioInput: spectrogramInput,
  hasLayers: true,
  heads: ['seq2seq'],
  missing: ({ maxPositions }) => (maxPositions === null ? ['how much Whisper writes at most'] : []),
  build: buildWhisper,
};

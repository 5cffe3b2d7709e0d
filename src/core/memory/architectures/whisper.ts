import type { Architecture } from '../architecture';
import { buildWhisper, hearsSpectrogram } from '../blocks/whisper/model';

/** An encoder over half a minute of audio, and a decoder that writes. */
export const whisper: Architecture = {
  modelTypes: ['whisper'],
  source: 'transformers 5.23.0, models/whisper/modeling_whisper.py',
  since: '4.53',
  samples: 'audio',
  hears: hearsSpectrogram,
  hasLayers: true,
  heads: ['seq2seq'],
  missing: ({ maxPositions }) => (maxPositions === null ? ['how much Whisper writes at most'] : []),
  build: buildWhisper,
};

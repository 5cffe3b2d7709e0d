import type { ModelFacts, ParameterCounts } from '../model';
import { counts, extraNumber, linear, mlp } from '../shapes';
import type { ConfigValues } from './config';
import type { Families, Family } from './family';

/**
 * Whisper: two convolutions, position tables of both stacks, keys without a bias, the head tied to the word table.
 */
function countWhisper(model: ModelFacts): ParameterCounts | null {
  const { hiddenSize: hidden, layers, maxPositions } = model;
  const decoder = extraNumber(model, 'num_decoder_layers');
  const [bands, frames] = [extraNumber(model, 'num_mel_bins'), extraNumber(model, 'max_source_positions')];
  if (bands === 0 || frames === 0 || maxPositions === null) return null;
  const attention = 3 * linear(hidden, hidden, true) + hidden * hidden;
  return counts({
    embedding: (model.vocabSize + maxPositions + frames) * hidden,
    attention: (layers + 2 * decoder) * attention,
    mlp: (layers + decoder) * mlp(hidden, model.intermediateSize, false, true),
    norm: (2 * layers + 3 * decoder + 2) * 2 * hidden,
    other: linear(3 * bands, hidden, true) + linear(3 * hidden, hidden, true),
  });
}

/** Sizes and `layers` are the encoder's, positions and vocabulary the decoder's. */
const whisper: Family = {
  kind: 'speech',
  keys: {
    hiddenSize: ['d_model'],
    intermediateSize: ['encoder_ffn_dim'],
    layers: ['encoder_layers'],
    heads: ['encoder_attention_heads'],
    maxPositions: ['max_target_positions'],
  },
  activation: ['activation_function'],
  norm: 'layernorm',
  normsPerLayer: 2,
  positions: 'sinusoidal',
  qkvBias: true,
  attentionOutBias: true,
  mlpBias: true,
  gatedMlp: false,
  adjust: whisperFacts,
  count: countWhisper,
};

/** Convolutions and an encoder; a convolution provides the positions. */
const wav2vec2: Family = {
  kind: 'speech',
  norm: 'layernorm',
  normsPerLayer: 2,
  positions: 'none',
  qkvBias: true,
  attentionOutBias: true,
  mlpBias: true,
  gatedMlp: false,
  count: null,
};

/** Speech models. Modeling code as of transformers 5.23. */
export const speech: Families = {
  whisper,
  wav2vec2,
  hubert: wav2vec2,
};

function whisperFacts(values: ConfigValues, model: ModelFacts): Partial<ModelFacts> {
  return {
    extra: {
      ...model.extra,
      num_decoder_layers: values.size('decoder_layers'),
      num_mel_bins: values.size('num_mel_bins'),
      max_source_positions: values.size('max_source_positions'),
    },
  };
}

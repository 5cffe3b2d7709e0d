import type { ModelFacts, ParameterCounts } from './model';
import { counts, extraNumber, linear, mlp } from './shapes';

/** Whisper: two convolutions, tables of positions of both stacks, keys without a bias, the head tied to the words. */
export function countWhisper(model: ModelFacts): ParameterCounts | null {
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

import type { Architecture } from '../architecture';
import { buildGatedMlp } from '../blocks/mlp';
import { buildPostNormLayer, wordsAndTypes } from '../blocks/postNormLayer';
import { rotaryEncoderArchitecture } from '../blocks/rotaryEncoder';

/** NomicBertConfig's value. */
const TYPES = 2;

/** BERT with rotary positions and gated MLPs. */
export const nomicBert: Architecture = rotaryEncoderArchitecture({
  modelTypes: ['nomic_bert'],
  source: 'transformers 5.23.0, models/nomic_bert/modeling_nomic_bert.py',
  embeddings: wordsAndTypes(TYPES),
  layer: (builder, run, given) => buildPostNormLayer(builder, run, given, () => buildGatedMlp(builder, run)),
  rates: { hidden: ['hidden_dropout_prob', 0], attention: ['attention_probs_dropout_prob', 0] },
  softmax: 'own',
  indexTables: 2,
});

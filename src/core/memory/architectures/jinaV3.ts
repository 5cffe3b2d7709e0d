import type { Architecture } from '../architecture';
import { buildPlainMlp } from '../blocks/mlp';
import { buildPostNormLayer, wordsAndTypes } from '../blocks/postNormLayer';
import { rotaryEncoderArchitecture } from '../blocks/rotaryEncoder';

/** XLM-RoBERTa with rotary positions. Adapters for tasks are LoRA's, merged or beside it. */
export const jinaV3: Architecture = rotaryEncoderArchitecture({
  modelTypes: ['jina_embeddings_v3', 'xlm-roberta-flash'],
  source: 'transformers 5.23.0, models/jina_embeddings_v3/modeling_jina_embeddings_v3.py',
  embeddings: wordsAndTypes(1),
  layer: (builder, run, given) =>
    buildPostNormLayer(builder, run, given, () =>
      buildPlainMlp(builder, run.model, { up: 'fc1', down: 'fc2' }),
    ),
  pooler: true,
  rates: { hidden: ['hidden_dropout_prob', 0.1], attention: ['attention_probs_dropout_prob', 0.1] },
  softmax: 'own',
  indexTables: 2,
});

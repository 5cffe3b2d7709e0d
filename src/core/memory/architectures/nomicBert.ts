import type { Architecture } from '../architecture';
import type { MakeEmbeddings } from '../blocks/encoderEmbeddings';
import { lookedUp } from '../blocks/encoderEmbeddings';
import { selfAttention } from '../blocks/attention';
import { buildGatedMlp } from '../blocks/mlp';
import { buildLayerNorm } from '../blocks/norm';
import { separateAttention } from '../blocks/projections';
import { rotaryEncoderArchitecture } from '../blocks/rotaryEncoder';
import { turned } from '../blocks/rotary';
import { stated } from '../facts';
import { dropout } from '../ops/dropout';
import { embedding } from '../ops/embedding';
import { add } from '../ops/pointwise';

/** NomicBertConfig's value. */
const TYPES = 2;

/** Words and types; positions turn queries and keys. */
const embeddings: MakeEmbeddings = (builder, run, rates) => {
  const { vocabSize, hiddenSize } = run.model;
  const words = builder.embedding('word_embeddings', vocabSize, hiddenSize);
  const types = stated(run.model, 'type_vocab_size', TYPES);
  const kinds = builder.embedding('token_type_embeddings', types, hiddenSize);
  const norm = buildLayerNorm(builder, hiddenSize);
  const embed: ReturnType<MakeEmbeddings>['embed'] = (tape, inputIds) =>
    tape.call([inputIds], () => {
      const embedded = lookedUp(tape, words, inputIds, run);
      const rows = tape.name(tape.empty(inputIds.elements, 'int64'));
      const ofTypes = tape.name(embedding(tape, kinds, rows));
      let sum = tape.rename(embedded, add(tape, embedded, ofTypes));
      sum = tape.rename(sum, norm(tape, sum));
      return dropout(tape, sum, rates.hidden);
    });
  return { words, embed };
};

/** BERT with rotary positions and gated MLPs. */
export const nomicBert: Architecture = rotaryEncoderArchitecture({
  modelTypes: ['nomic_bert'],
  source: 'transformers 5.23.0, models/nomic_bert/modeling_nomic_bert.py',
  embeddings,
  layer: (builder, run, { rates }) => {
    const { model } = run;
    const attentionNorm = buildLayerNorm(builder, model.hiddenSize);
    const mlp = buildGatedMlp(builder, run);
    const attention = separateAttention(builder, model, { turn: turned });
    const norm = buildLayerNorm(builder, model.hiddenSize);
    return (tape, x, context) =>
      tape.call([x], () => {
        const [mixed = x, ...weights] = selfAttention(tape, x, attention, context);
        const attended = tape.name(mixed);
        for (const kept of weights) tape.name(kept);
        let states = tape.name(add(tape, x, dropout(tape, attended, rates.hidden)));
        states = tape.rename(states, attentionNorm(tape, states));
        const residual = tape.name(states);
        states = tape.rename(states, mlp(tape, states));
        states = tape.rename(states, add(tape, residual, dropout(tape, states, rates.hidden)));
        return norm(tape, states);
      });
  },
  rates: { hidden: ['hidden_dropout_prob', 0], attention: ['attention_probs_dropout_prob', 0] },
  softmax: 'own',
  indexTables: 2,
});

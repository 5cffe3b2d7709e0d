import type { Builder, Step } from '../modules';
import { add, dropout } from '../ops/pointwise';
import { embedding } from '../ops/select';
import type { MemoryRun } from '../run';
import { stated } from '../configValues';
import { selfAttention } from './attention';
import { lookedUp } from './encoderEmbeddings';
import type { MakeEmbeddings } from './encoderEmbeddings';
import type { Layer } from './layers';
import { buildLayerNorm } from './norm';
import { separateAttention } from './projections';
import { turned } from './rotary';
import type { LayerGiven } from './rotaryEncoder';

/** Words, and types if there are any; `types` is the default. Positions rotate queries and keys. */
export const wordsAndTypes =
  (types: number): MakeEmbeddings =>
  (builder, run, rates) => {
    const { vocabSize, hiddenSize } = run.model;
    const words = builder.embedding('word_embeddings', vocabSize, hiddenSize);
    const rows = stated(run.model, 'type_vocab_size', types);
    const kinds = rows > 0 ? builder.embedding('token_type_embeddings', rows, hiddenSize) : null;
    const norm = buildLayerNorm(builder, hiddenSize);
    const embed: ReturnType<MakeEmbeddings>['embed'] = (tape, inputIds) =>
      tape.call([inputIds], () => {
        let sum = lookedUp(tape, words, inputIds, run);
        if (kinds) {
          const ids = tape.name(tape.empty(inputIds.elements, 'int64'));
          const ofTypes = tape.name(embedding(tape, kinds, ids));
          sum = tape.rename(sum, add(tape, sum, ofTypes));
        }
        sum = tape.rename(sum, norm(tape, sum));
        return dropout(tape, sum, rates.hidden);
      });
    return { words, embed };
  };

/** BERT's layer with rotary positions, and the family's own MLP. */
export function buildPostNormLayer(
  builder: Builder,
  { model }: MemoryRun,
  { rates }: LayerGiven,
  makeMlp: () => Step,
): Layer {
  const attentionNorm = buildLayerNorm(builder, model.hiddenSize);
  const mlp = makeMlp();
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
}

import type { ModelFacts } from '../../models/model';
import type { Architecture } from '../architecture';
import { activationNamed } from '../blocks/activation';
import { encoderArchitecture } from '../blocks/encoderArchitecture';
import { lookedUp } from '../blocks/encoderEmbeddings';
import type { MakeEmbeddings } from '../blocks/encoderEmbeddings';
import { selfAttention } from '../blocks/encoderLayer';
import type { EncoderLayer, Inputs } from '../blocks/encoderLayer';
import { buildLayerNorm } from '../blocks/norm';
import { relativeBias } from '../blocks/t5/positionBias';
import { stated } from '../configValues';
import type { Builder, Linear } from '../modules';
import { add, dropout } from '../ops/pointwise';
import { embedding } from '../ops/select';
import { resized } from '../ops/shape';
import { countedPositions } from './bert';

/** The default of MPNetConfig. */
const BUCKETS = 32;

/** Words and counted positions. */
const embeddings: MakeEmbeddings = (builder, run, rates) => {
  const { hiddenSize, vocabSize, positionRows } = run.model;
  const words = builder.embedding('word_embeddings', vocabSize, hiddenSize);
  const table = builder.embedding('position_embeddings', positionRows, hiddenSize);
  const norm = buildLayerNorm(builder, hiddenSize);
  const embed: ReturnType<MakeEmbeddings>['embed'] = (tape, inputIds) =>
    tape.call([inputIds], () => {
      const positions = tape.name(countedPositions(tape, inputIds));
      const embedded = lookedUp(tape, words, inputIds, run);
      const places = tape.name(embedding(tape, table, positions));
      let sum = tape.name(add(tape, embedded, places));
      sum = tape.rename(sum, norm(tape, sum));
      return dropout(tape, sum, rates.hidden);
    });
  return { words, embed };
};

function layer(builder: Builder, model: ModelFacts): EncoderLayer {
  const { hiddenSize: hidden, intermediateSize: inner } = model;
  const make = (name: string, inputs: number, outputs: number): Linear =>
    builder.linear({ name, inputs, outputs, bias: true });
  const square = (name: string): Linear => make(name, hidden, hidden);
  const inputs: Inputs = [square('q'), square('k'), square('v')];
  const output = square('o');
  const attentionNorm = buildLayerNorm(builder, hidden);
  const [up, down] = [make('dense', hidden, inner), make('dense', inner, hidden)];
  const norm = buildLayerNorm(builder, hidden);
  const act = activationNamed(model.activation);
  return (tape, x, given) =>
    tape.call([x], () => {
      const context = { ...given, biasInPlace: true, keepsScores: true, handsWeightsOn: false };
      const attended = tape.name(
        tape.call([x], () => {
          const [mixed = x] = selfAttention(tape, x, inputs, context, output);
          const dropped = dropout(tape, tape.name(mixed), context.hiddenDropout);
          return attentionNorm(tape, add(tape, dropped, x));
        }),
      );
      const wide = tape.name(act(tape, up(tape, attended)));
      return tape.call([wide, attended], () => {
        const projected = tape.name(down(tape, wide));
        const dropped = tape.rename(projected, dropout(tape, projected, context.hiddenDropout));
        return norm(tape, add(tape, dropped, attended));
      });
    });
}

/** BERT without types, whose layers share a bias by distance; attention computes every score. */
export const mpnet: Architecture = encoderArchitecture({
  modelTypes: ['mpnet'],
  source: 'transformers 5.23.0, models/mpnet/modeling_mpnet.py',
  pooled: ['base'],
  embeddings,
  layer,
  bias: (builder, { model, batch: { rows: batch, tokens } }) => {
    const rows = stated(model, 'relative_attention_buckets', BUCKETS);
    const table = builder.embedding('relative_attention_bias', rows, model.heads);
    return tape => {
      const values = relativeBias(tape, table, { queries: tokens, keys: tokens }, true);
      return resized(tape, values, values.elements * batch);
    };
  },
  attention: 'eager',
  checkpoints: false,
  indexTables: 1,
});

import type { ModelFacts } from '../../models/model';
import type { Architecture } from '../architecture';
import { activationNamed } from '../blocks/activation';
import { encoderArchitecture } from '../blocks/encoderArchitecture';
import { lookedUp } from '../blocks/encoderEmbeddings';
import type { MakeEmbeddings } from '../blocks/encoderEmbeddings';
import { selfAttention } from '../blocks/encoderLayer';
import type { EncoderLayer, Inputs } from '../blocks/encoderLayer';
import { buildLayerNorm } from '../blocks/norm';
import type { Builder, Linear } from '../modules';
import { add, dropout, relu } from '../ops/pointwise';
import { embedding } from '../ops/select';

/** Words and positions, without types. */
const embeddings: MakeEmbeddings = (builder, run, rates) => {
  const { hiddenSize, vocabSize, positionRows } = run.model;
  const words = builder.embedding('word_embeddings', vocabSize, hiddenSize);
  const positions = builder.embedding('position_embeddings', positionRows, hiddenSize);
  const norm = buildLayerNorm(builder, hiddenSize);
  return {
    words,
    embed: (tape, inputIds) =>
      tape.call([inputIds], () => {
        const embedded = lookedUp(tape, words, inputIds, run);
        // A part of a buffer, so no additional memory.
        const rows = tape.view(tape.name(tape.empty(0, 'int64')), run.batch.tokens);
        const places = tape.name(embedding(tape, positions, rows));
        let sum = tape.name(add(tape, embedded, places));
        sum = tape.rename(sum, norm(tape, sum));
        return dropout(tape, sum, rates.hidden);
      }),
  };
};

/** TransformerBlock: dropout after the MLP, but not after attention. */
function layer(builder: Builder, model: ModelFacts): EncoderLayer {
  const { hiddenSize: hidden, intermediateSize: inner } = model;
  const make = (name: string, inputs: number, outputs: number): Linear =>
    builder.linear({ name, inputs, outputs, bias: true });
  const square = (name: string): Linear => make(name, hidden, hidden);
  const inputs: Inputs = [square('q_lin'), square('k_lin'), square('v_lin')];
  const output = square('out_lin');
  const attentionNorm = buildLayerNorm(builder, hidden);
  const [up, down] = [make('lin1', hidden, inner), make('lin2', inner, hidden)];
  const norm = buildLayerNorm(builder, hidden);
  const act = activationNamed(model.activation);
  return (tape, x, context) =>
    tape.call([x], () => {
      const [mixed = x, ...weights] = selfAttention(tape, x, inputs, context, output);
      tape.name(mixed);
      for (const kept of weights) tape.name(kept);
      const attended = tape.rename(mixed, attentionNorm(tape, add(tape, mixed, x)));
      const steps = [up, act, down].map(step => (y: typeof x) => step(tape, y));
      const change = tape.call([attended], () => {
        const [first, ...others] = steps;
        const wide = tape.name(first ? first(attended) : attended);
        return dropout(tape, tape.through(wide, others), context.hiddenDropout);
      });
      tape.name(change);
      return norm(tape, add(tape, change, attended));
    });
}

/** BERT with half its layers, without types and pooler. */
export const distilbert: Architecture = encoderArchitecture({
  modelTypes: ['distilbert'],
  source: 'transformers 5.23.0, models/distilbert/modeling_distilbert.py',
  pooled: [],
  embeddings,
  layer,
  rates: { hidden: 'dropout', attention: 'attention_dropout' },
  indexTables: 1,
  headStyle: { pooling: { names: ['pre_classifier', 'classifier'], act: relu, dropsInput: false } },
});

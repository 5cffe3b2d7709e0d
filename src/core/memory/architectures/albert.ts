import type { ModelFacts } from '../../models/model';
import type { Architecture } from '../architecture';
import { activationNamed } from '../blocks/activation';
import { encoderArchitecture } from '../blocks/encoderArchitecture';
import { bertEmbeddings, sharedRows } from '../blocks/encoderEmbeddings';
import { selfAttention } from '../blocks/encoderLayer';
import type { EncoderLayer, Inputs } from '../blocks/encoderLayer';
import { buildLayerNorm } from '../blocks/norm';
import { stated } from '../configValues';
import type { Builder, Linear } from '../modules';
import { add, dropout } from '../ops/pointwise';

/** Defaults of AlbertConfig. */
const EMBEDDING_SIZE = 128;

const one = (model: ModelFacts, name: string): boolean => stated(model, name, 1) === 1;

/** AlbertLayer: no dropout after the MLP. */
function layer(builder: Builder, model: ModelFacts): EncoderLayer {
  const { hiddenSize: hidden, intermediateSize: inner } = model;
  const make = (name: string, inputs: number, outputs: number): Linear =>
    builder.linear({ name, inputs, outputs, bias: true });
  const square = (name: string): Linear => make(name, hidden, hidden);
  const norm = buildLayerNorm(builder, hidden);
  const inputs: Inputs = [square('query'), square('key'), square('value')];
  const output = square('dense');
  const attentionNorm = buildLayerNorm(builder, hidden);
  const [up, down] = [make('ffn', hidden, inner), make('ffn_output', inner, hidden)];
  const act = activationNamed(model.activation);
  return (tape, x, context) =>
    tape.call([x], () => {
      const [mixed = x, ...weights] = selfAttention(tape, x, inputs, context, (_, y) => {
        const merged = tape.name(y);
        const projected = tape.rename(merged, output(tape, merged));
        const dropped = tape.rename(projected, dropout(tape, projected, context.hiddenDropout));
        return attentionNorm(tape, add(tape, x, dropped));
      });
      const attended = tape.name(mixed);
      for (const kept of weights) tape.name(kept);
      const change = tape.call([attended], () => {
        const steps = [act, down].map(step => (y: typeof x) => step(tape, y));
        return tape.through(tape.name(up(tape, attended)), steps);
      });
      tape.name(change);
      return norm(tape, add(tape, change, attended));
    });
}

/** BERT with shared layers, and embeddings of a separate size. */
export const albert: Architecture = encoderArchitecture({
  modelTypes: ['albert'],
  source: 'transformers 5.23.0, models/albert/modeling_albert.py',
  pooled: ['base', 'sequence-classification'],
  embeddings: (builder, run, rates) => {
    const { model } = run;
    const width = stated(model, 'embedding_size', EMBEDDING_SIZE);
    const sized = { ...model, extra: { ...model.extra, embedding_size: width } };
    return bertEmbeddings(sharedRows)(builder, { ...run, model: sized }, rates);
  },
  enter: (builder, model) =>
    builder.linear({
      name: 'embedding_hidden_mapping_in',
      inputs: stated(model, 'embedding_size', EMBEDDING_SIZE),
      outputs: model.hiddenSize,
      bias: true,
    }),
  layer,
  sharesLayers: true,
  defaultRate: 0,
  missing: model =>
    one(model, 'num_hidden_groups') && one(model, 'inner_group_num')
      ? []
      : ['the memory of albert with several groups of layers'],
});

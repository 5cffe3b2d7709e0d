import type { ModelFacts } from '../../models/model';
import type { Architecture } from '../architecture';
import { activationNamed } from '../blocks/activation';
import { encoderArchitecture } from '../blocks/encoderArchitecture';
import { lookedUp } from '../blocks/encoderEmbeddings';
import type { MakeEmbeddings } from '../blocks/encoderEmbeddings';
import { selfAttention, withResidual } from '../blocks/encoderLayer';
import type { EncoderLayer, Inputs } from '../blocks/encoderLayer';
import { buildLayerNorm } from '../blocks/norm';
import { stated } from '../configValues';
import type { Builder, Linear } from '../modules';
import { add, dropout, mul } from '../ops/pointwise';
import { embedding } from '../ops/select';
import { split } from '../ops/shape';
import { bytesPer } from '../tensor';

/** The default of JinaBertConfig. */
const TYPES = 2;

/** Words and types: positions are distances that are subtracted from the scores. */
const embeddings: MakeEmbeddings = (builder, run, rates) => {
  const { hiddenSize, vocabSize } = run.model;
  const words = builder.embedding('word_embeddings', vocabSize, hiddenSize);
  const types = builder.embedding(
    'token_type_embeddings',
    stated(run.model, 'type_vocab_size', TYPES),
    hiddenSize,
  );
  const norm = buildLayerNorm(builder, hiddenSize);
  const embed: ReturnType<MakeEmbeddings>['embed'] = (tape, inputIds) =>
    tape.call([inputIds], () => {
      const kinds = tape.name(tape.empty(inputIds.elements, 'int64'));
      const embedded = lookedUp(tape, words, inputIds, run);
      const ofTypes = tape.name(embedding(tape, types, tape.view(kinds, kinds.elements)));
      let sum = tape.name(add(tape, embedded, ofTypes));
      sum = tape.rename(sum, norm(tape, sum));
      return dropout(tape, sum, rates.hidden);
    });
  return { words, embed };
};

/** BERT's layer with a gated MLP, whose gate and values come from one product without a bias (JinaBertGLUMLP). */
function layer(builder: Builder, model: ModelFacts): EncoderLayer {
  const { hiddenSize: hidden, intermediateSize: inner } = model;
  const make = (name: string, inputs: number, outputs: number, bias = true): Linear =>
    builder.linear({ name, inputs, outputs, bias });
  const square = (name: string): Linear => make(name, hidden, hidden);
  const inputs: Inputs = [square('query'), square('key'), square('value')];
  const output = square('dense');
  const attentionNorm = buildLayerNorm(builder, hidden);
  const both = make('gated_layers', hidden, 2 * inner, false);
  const down = make('wo', inner, hidden);
  const norm = buildLayerNorm(builder, hidden);
  const act = activationNamed(model.activation);
  return (tape, x, context) =>
    tape.call([x], () => {
      const [mixed = x] = selfAttention(tape, x, inputs, context);
      const attended = tape.name(
        tape.call([mixed, x], () => withResidual(tape, output(tape, mixed), x, attentionNorm, context)),
      );
      return tape.call([attended], () => {
        const wide = tape.name(both(tape, attended));
        const size = (x.elements / hidden) * inner;
        const [gate = wide, values = wide] = split(
          tape,
          tape.view(wide, wide.elements, wide.node, wide.slot),
          [size, size],
        );
        for (const half of [gate, values]) tape.name(half);
        const gated = tape.name(mul(tape, act(tape, gate), values));
        const dropped = tape.rename(gated, dropout(tape, gated, context.hiddenDropout));
        return norm(tape, add(tape, down(tape, dropped), attended));
      });
    });
}

/**
 * BERT with ALiBi: a table of distances per head, for the longest possible rows; attention computes every score.
 */
export const jinaV2: Architecture = encoderArchitecture({
  modelTypes: ['jina_bert'],
  source:
    "the checkpoints' own modeling_bert.py: JinaBertEncoder (register_buffer alibi), JinaBertSelfAttention, JinaBertGLUMLP",
  pooled: ['base', 'sequence-classification'],
  embeddings,
  layer,
  bias: (builder, { model, numbers: { weightDtype } }) => {
    builder.buffer(model.heads * (model.maxPositions ?? 0) ** 2 * bytesPer(weightDtype));
    // A part of the table.
    return tape => tape.empty(1, weightDtype);
  },
  attention: 'eager',
  checkpoints: false,
});

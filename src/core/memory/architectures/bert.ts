import type { Architecture } from '../architecture';
import { debertaArchitecture } from '../blocks/deberta/architecture';
import { buildDebertaAttention } from '../blocks/deberta/attention';
import { encoderArchitecture } from '../blocks/encoderArchitecture';
import { bertEmbeddings, sharedRows } from '../blocks/encoderEmbeddings';
import type { MakeEmbeddings } from '../blocks/encoderEmbeddings';
import { stated } from '../configValues';
import { activation } from '../ops/pointwise';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';

/** Positions from a buffer; classifies the pooled first token. */
export const bert: Architecture = encoderArchitecture({
  modelTypes: ['bert'],
  source: 'transformers 5.23.0, models/bert/modeling_bert.py',
  pooled: ['base', 'sequence-classification'],
  embeddings: bertEmbeddings(sharedRows),
});

/** The default of ElectraConfig. */
const EMBEDDING_SIZE = 128;

/** BERT's embeddings, with a projection if they are narrower than the hidden states. */
const projected: MakeEmbeddings = (builder, run, rates) => {
  const { model } = run;
  const width = stated(model, 'embedding_size', EMBEDDING_SIZE);
  const sized = { ...run, model: { ...model, extra: { ...model.extra, embedding_size: width } } };
  const embeddings = bertEmbeddings(sharedRows)(builder, sized, rates);
  if (width === model.hiddenSize) return embeddings;
  const shape = { name: 'embeddings_project', inputs: width, outputs: model.hiddenSize, bias: true };
  const widen = builder.linear(shape);
  return { ...embeddings, embed: (tape, inputIds) => widen(tape, embeddings.embed(tape, inputIds)) };
};

/** BERT without a pooler, and with embeddings of a separate size. */
export const electra: Architecture = encoderArchitecture({
  modelTypes: ['electra'],
  source: 'transformers 5.23.0, models/electra/modeling_electra.py',
  pooled: [],
  embeddings: projected,
  headStyle: { pooling: { names: ['dense', 'out_proj'], act: activation, dropsInput: true } },
});

/** create_position_ids_from_input_ids: counts positions over tokens that are not padding. */
export function countedPositions(tape: Tape, { elements }: Tensor): Tensor {
  return tape.call([], () => {
    const mask = tape.name(tape.done(tape.empty(elements, 'int32'), tape.empty(elements, 'bool')));
    const sums = tape.empty(elements, 'int64');
    const narrow = tape.done(tape.like(mask), sums);
    const counted = tape.name(tape.done(tape.like(mask), tape.done(tape.like(mask), narrow)));
    const wide = tape.empty(counted.elements, 'int64');
    return tape.done(tape.like(wide), wide);
  });
}

/** BERT with positions counted per row, and a separate head over the first token. */
export const roberta: Architecture = encoderArchitecture({
  modelTypes: ['roberta', 'xlm-roberta', 'camembert'],
  source: 'transformers 5.23.0, models/roberta/modeling_roberta.py',
  pooled: ['base'],
  embeddings: bertEmbeddings((tape, inputIds) => {
    const positions = tape.name(countedPositions(tape, inputIds));
    const types = tape.name(tape.empty(inputIds.elements, 'int64'));
    return { types: tape.view(types, types.elements), positions: tape.view(positions, positions.elements) };
  }),
});

/** BERT with products of tokens and distances added to the scores; attention computes every score. */
export const debertaV2: Architecture = debertaArchitecture({
  modelTypes: ['deberta-v2'],
  source: 'transformers 5.23.0, models/deberta_v2/modeling_deberta_v2.py',
  attention: buildDebertaAttention,
});

import type { Architecture } from '../architecture';
import { encoderArchitecture } from '../blocks/encoderArchitecture';
import { bertEmbeddings, sharedRows } from '../blocks/encoderEmbeddings';
import type { MakeEmbeddings } from '../blocks/encoderEmbeddings';
import { activation } from '../ops/pointwise';
import { stated } from '../configValues';

/** ElectraConfig's value. */
const EMBEDDING_SIZE = 128;

/** BERT's, and a projection where they are narrower than hidden states. */
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

/** BERT without a pooler, and with embeddings of their own size. */
export const electra: Architecture = encoderArchitecture({
  modelTypes: ['electra'],
  source: 'transformers 5.23.0, models/electra/modeling_electra.py',
  pooled: [],
  embeddings: projected,
  headStyle: { pooling: { names: ['dense', 'out_proj'], act: activation, dropsInput: true } },
});

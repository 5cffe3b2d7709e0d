import type { KeyHelp } from '../dialect';

const batch: KeyHelp = {
  text: 'Texts of one forward pass on the GPU. The longest come first, so that running out of memory shows at once.',
  byDefault: '32',
};
const device: KeyHelp = {
  text: 'Where the model is. A list of devices makes a copy on each, with a batch of its own.',
};
const length: KeyHelp = { text: 'Tokens to which a text is cut: activations grow with it.' };
const rows: KeyHelp = { text: 'Rows of an import or a call to a database: takes no GPU memory.' };

/** What keys of embedding pipelines do to memory. */
export const embeddingsHelp: Readonly<Record<string, KeyHelp>> = {
  'embeddings.batch_size': batch,
  'embedding.batch_size': batch,
  'embeddings.encodebatch': batch,
  'embeddings.encode_batch_size': batch,
  'embeddings.device': device,
  'embedding.device': device,
  'embeddings.max_seq_length': length,
  'embedding.max_seq_length': length,
  'embeddings.max_length': length,
  'reranker.batch_size': {
    text: 'Pairs of one forward pass of the reranker, beside the embedding model on the same GPU.',
  },
  'import.batch_size': rows,
  'indexing.batch_size': rows,
  'ingestion.batch_size': rows,
};

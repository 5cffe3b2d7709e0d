import { countBert, countDeberta, countModernBert, countNomicBert } from '../countEncoder';
import type { ModelFacts } from '../model';
import type { ConfigValues } from './config';
import type { Families, Family } from './family';

/** BERT's block: LayerNorm after each residual, biases everywhere, learned positions. With the pooler of AutoModel. */
const bert: Family = {
  kind: 'encoder',
  norm: 'layernorm',
  normsPerLayer: 2,
  positions: 'learned',
  qkvBias: true,
  attentionOutBias: true,
  mlpBias: true,
  gatedMlp: false,
  extra: { has_pooler: true },
  refuse: otherPositions,
  count: countBert,
};

/** GTE's block: rotary positions, a gated MLP with a bias in the last projection only. */
const rotaryGated: Family = { ...bert, positions: 'rope', gatedMlp: true, refuse: () => null, count: null };

/** BERT and its successors. Modeling code as of transformers 5.23. */
export const encoders: Families = {
  bert,
  roberta: bert,
  'xlm-roberta': bert,
  camembert: bert,
  // Catalog only: the remote code's name; a config.json does not state it.
  'xlm-roberta-flash': { ...bert, positions: 'rope' },
  jina_embeddings_v3: { ...bert, positions: 'rope', refuse: () => null },
  gte: rotaryGated,
  // The name in the checkpoints' remote code.
  new: rotaryGated,
  distilbert: {
    ...bert,
    keys: {
      hiddenSize: ['dim', 'hidden_size'],
      intermediateSize: ['hidden_dim'],
      layers: ['n_layers', 'num_hidden_layers'],
      heads: ['n_heads', 'num_attention_heads'],
    },
    activation: ['activation'],
    extra: { has_pooler: false },
  },
  electra: { ...bert, extra: { has_pooler: false } },
  albert: bert,
  mpnet: {
    ...bert,
    adjust: (values, model) => ({
      extra: { ...model.extra, relative_attention_buckets: values.size('relative_attention_num_buckets') },
    }),
  },
  'deberta-v2': {
    ...bert,
    positions: 'relative',
    extra: { has_pooler: false },
    adjust: deberta,
    refuse: values =>
      values.flag('relative_attention') ? null : 'deberta-v2 without relative_attention is not supported',
    count: countDeberta,
  },
  modernbert: {
    ...bert,
    norm: 'layernorm-no-bias',
    positions: 'rope',
    qkvBias: 'attention_bias',
    attentionOutBias: 'attention_bias',
    mlpBias: 'mlp_bias',
    gatedMlp: true,
    activation: ['hidden_activation'],
    extra: { has_pooler: false },
    refuse: values => (values.flag('norm_bias') ? 'modernbert with norm_bias is not supported' : null),
    count: countModernBert,
  },
  // The checkpoints' remote code uses GPT-2's keys.
  nomic_bert: {
    ...bert,
    keys: {
      hiddenSize: ['hidden_size', 'n_embd'],
      intermediateSize: ['intermediate_size', 'n_inner'],
      layers: ['num_hidden_layers', 'n_layer'],
      heads: ['num_attention_heads', 'n_head'],
      maxPositions: ['max_position_embeddings', 'n_positions'],
    },
    activation: ['hidden_act'],
    positions: 'rope',
    qkvBias: false,
    attentionOutBias: false,
    mlpBias: false,
    gatedMlp: true,
    extra: { has_pooler: false },
    refuse: () => null,
    count: countNomicBert,
  },
};

/** Remote code reuses `bert` and `xlm-roberta` for blocks with rotary or ALiBi positions, whose shapes differ. */
function otherPositions(values: ConfigValues): string | null {
  const positions = values.text('position_embedding_type') ?? 'absolute';
  return positions === 'absolute' ? null : `position_embedding_type ${positions} is not supported`;
}

function deberta(values: ConfigValues, model: ModelFacts): Partial<ModelFacts> {
  const buckets = values.value('position_buckets');
  const fallback = values.value('max_relative_positions');
  const rows = [buckets, fallback, model.maxPositions].find(value => typeof value === 'number' && value > 0);
  return {
    positionRows: values.flag('position_biased_input') ? (model.maxPositions ?? 0) : 0,
    extra: { ...model.extra, position_buckets: rows, has_buckets: rows === buckets },
  };
}

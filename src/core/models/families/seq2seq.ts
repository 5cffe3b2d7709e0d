import type { ModelFacts, ParameterCounts } from '../model';
import type { ConfigValues } from './config';
import type { Families, Family } from './family';
import { counts, extraFlag, extraNumber, linear, mlp } from '../shapes';

/** T5 family: RMSNorm, no biases, one table of relative positions in each stack. `layers` is the encoder's. */
function countT5(model: ModelFacts): ParameterCounts {
  const hidden = model.hiddenSize;
  const decoder = extraNumber(model, 'num_decoder_layers');
  const attention = 4 * hidden * model.heads * model.headDim;
  const stacks = decoder > 0 ? 2 : 1;
  const table = extraNumber(model, 'relative_attention_buckets') * model.heads;
  return counts({
    embedding: model.vocabSize * hidden,
    attention: (model.layers + 2 * decoder) * attention,
    mlp: (model.layers + decoder) * mlp(hidden, model.intermediateSize, model.gatedMlp, false),
    norm: (2 * model.layers + 3 * decoder + stacks) * hidden,
    head: decoder > 0 && !model.tiedEmbeddings ? model.vocabSize * hidden : 0,
    other: stacks * table + hidden * extraNumber(model, 'embedding_head_dim'),
  });
}

/** BART, mBART, Pegasus: LayerNorm and biases, a position table in each stack. `layers` is the encoder's. */
function countBart(model: ModelFacts): ParameterCounts {
  const hidden = model.hiddenSize;
  const decoder = extraNumber(model, 'num_decoder_layers');
  const attention = 4 * linear(hidden, hidden, true);
  const stackNorms = (extraFlag(model, 'embed_norm') ? 2 : 0) + (extraFlag(model, 'final_norm') ? 2 : 0);
  return counts({
    embedding: (model.vocabSize + 2 * model.positionRows) * hidden,
    attention: (model.layers + 2 * decoder) * attention,
    mlp: (model.layers + decoder) * mlp(hidden, model.intermediateSize, false, true),
    norm: (2 * model.layers + 3 * decoder + stackNorms) * 2 * hidden,
  });
}

const t5: Family = {
  kind: 'encoder-decoder',
  keys: {
    hiddenSize: ['d_model'],
    intermediateSize: ['d_ff'],
    layers: ['num_layers'],
    heads: ['num_heads'],
    headDim: ['d_kv'],
  },
  activation: ['dense_act_fn', 'feed_forward_proj'],
  norm: 'rmsnorm',
  normsPerLayer: 2,
  positions: 'relative',
  qkvBias: false,
  attentionOutBias: false,
  mlpBias: false,
  gatedMlp: false,
  adjust: t5Facts,
  count: countT5,
};

const bart: Family = {
  kind: 'encoder-decoder',
  keys: {
    hiddenSize: ['d_model'],
    intermediateSize: ['encoder_ffn_dim'],
    layers: ['encoder_layers'],
    heads: ['encoder_attention_heads'],
  },
  activation: ['activation_function'],
  norm: 'layernorm',
  normsPerLayer: 2,
  positions: 'learned',
  qkvBias: true,
  attentionOutBias: true,
  mlpBias: true,
  gatedMlp: false,
  adjust: bartFacts,
  refuse: differentStacks,
  count: countBart,
};

/** Encoder-decoders; `layers` and sizes are the encoder's. Modeling code as of transformers 5.23. */
export const seq2seq: Families = {
  t5,
  mt5: t5,
  bart: { ...bart, extra: { embed_norm: true } },
  mbart: { ...bart, extra: { embed_norm: true, final_norm: true } },
  pegasus: { ...bart, positions: 'sinusoidal', extra: { final_norm: true } },
  // Marian stores its sinusoids as Pegasus does; M2M 100 and NLLB compute them.
  marian: { ...bart, positions: 'sinusoidal' },
  m2m_100: { ...bart, positions: 'sinusoidal', extra: { final_norm: true }, adjust: m2mFacts },
};

function t5Facts(values: ConfigValues, model: ModelFacts): Partial<ModelFacts> {
  return {
    gatedMlp: values.text('feed_forward_proj')?.startsWith('gated') ?? false,
    extra: {
      ...model.extra,
      num_decoder_layers: values.optionalSize('num_decoder_layers') ?? model.layers,
      relative_attention_buckets: values.size('relative_attention_num_buckets'),
    },
  };
}

/** Learned positions begin at row 2; Pegasus stores sinusoids without an offset. */
function bartFacts(values: ConfigValues, model: ModelFacts): Partial<ModelFacts> {
  const offset = model.positions === 'learned' ? 2 : 0;
  return {
    positionRows: (model.maxPositions ?? 0) + offset,
    extra: { ...model.extra, num_decoder_layers: values.size('decoder_layers') },
  };
}

/** Its sinusoids are not parameters. */
function m2mFacts(values: ConfigValues, model: ModelFacts): Partial<ModelFacts> {
  return { ...bartFacts(values, model), positionRows: 0 };
}

function differentStacks(values: ConfigValues): string | null {
  const differ = values.value('encoder_ffn_dim') !== values.value('decoder_ffn_dim');
  return differ ? 'encoder_ffn_dim and decoder_ffn_dim differ, which is not supported' : null;
}

import type { ModelFacts } from '../model';
import type { ConfigValues, Json } from './config';
import { mla, moe } from './experts';
import type { Family, Flag, SizeName } from './family';

const STANDARD: Readonly<Record<SizeName, readonly string[]>> = {
  hiddenSize: ['hidden_size'],
  intermediateSize: ['intermediate_size'],
  layers: ['num_hidden_layers'],
  heads: ['num_attention_heads'],
  kvHeads: ['num_key_value_heads'],
  headDim: ['head_dim'],
  vocabSize: ['vocab_size'],
  maxPositions: ['max_position_embeddings'],
};

/** Sizes from the family's keys. */
export function sizes(values: ConfigValues, family: Family) {
  const keys = { ...STANDARD, ...family.keys };
  const hiddenSize = values.size(...keys.hiddenSize);
  const heads = values.size(...keys.heads);
  const width = values.optionalSize(...keys.intermediateSize);
  const maxPositions = values.optionalSize(...keys.maxPositions);
  if (width === null && !family.widthFactor) {
    values.problems.push(`${keys.intermediateSize[0] ?? ''} is missing`);
  }
  return {
    hiddenSize,
    heads,
    maxPositions,
    intermediateSize: width ?? hiddenSize * (family.widthFactor ?? 0),
    layers: values.size(...keys.layers),
    kvHeads: values.optionalSize(...keys.kvHeads) ?? heads,
    headDim: values.optionalSize(...keys.headDim) ?? Math.floor(hiddenSize / Math.max(heads, 1)),
    vocabSize: family.kind === 'vision' ? 0 : values.size(...keys.vocabSize),
    positionRows: family.positions === 'learned' ? (maxPositions ?? 0) : 0,
  };
}

/** All facts except sizes: fixed by the modeling code or decided by flags. */
export function structure(values: ConfigValues, family: Family) {
  const isOn = (flag: Flag) => (typeof flag === 'string' ? values.flag(flag) : flag);
  const hasQkNorm = family.qkNormWhen === undefined || values.flag(family.qkNormWhen);
  const experts = family.moe ? values.count(...family.moe.experts) : 0;
  return {
    kind: family.kind,
    positions: family.positions,
    tiedEmbeddings: values.decidedFlag('tie_word_embeddings'),
    qkvBias: isOn(family.qkvBias),
    attentionOutBias: isOn(family.attentionOutBias),
    mlpBias: isOn(family.mlpBias),
    gatedMlp: family.gatedMlp,
    activation: values.text(...(family.activation ?? ['hidden_act'])),
    norm: family.norm,
    normsPerLayer: family.normsPerLayer,
    qkNorm: hasQkNorm ? (family.qkNorm ?? null) : null,
    dtype: dtypeOf(values.stated),
    slidingWindow: slidingWindow(values),
    experts,
    expertsPerToken: experts > 0 ? values.size(family.moe?.perToken ?? 'num_experts_per_tok') : 0,
    moe: family.moe && experts > 0 ? moe(values, family.moe) : null,
    mla: family.mla ? mla(values) : null,
    extra: { ...rest(values.stated), ...family.extra },
  };
}

/** `dtype` is the new name of `torch_dtype`. */
export function dtypeOf(config: Json): ModelFacts['dtype'] {
  const name = config['dtype'] ?? config['torch_dtype'];
  return name === 'float32' || name === 'bfloat16' || name === 'float16' ? name : null;
}

/** Qwen2 and its successors state a window and whether to use it. */
function slidingWindow(values: ConfigValues): number | null {
  if (values.value('use_sliding_window') === false || values.value('sliding_window') === 0) return null;
  return values.optionalSize('sliding_window');
}

/** Long label tables that do not affect memory. */
const NOT_KEPT = new Set(['id2label', 'label2id']);

function rest(config: Json): Json {
  return Object.fromEntries(Object.entries(config).filter(([name]) => !NOT_KEPT.has(name)));
}

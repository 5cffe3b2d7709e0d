import type { GgufHeader, GgufTensor } from './ggufHeader';
import type { GgufWeights, ModelFacts } from './model';
import { noFacts } from './noFacts';

/** What no account covers: recurrent states, and keys and values that are compressed or shared in other ways. */
const NOT_COVERED = ['ssm.state_size', 'wkv.head_size', 'shortconv.l_cache', 'attention.indexer.top_k'];

/** A model's facts from its GGUF file, or why there are none. */
export function modelFromGguf(
  id: string,
  headers: readonly GgufHeader[],
): { readonly model: ModelFacts } | { readonly why: string } {
  const [first] = headers;
  const architecture = first?.values.get('general.architecture');
  if (!first || typeof architecture !== 'string') return { why: 'states no architecture' };
  const values = new Values(first, architecture);
  const beyond = NOT_COVERED.find(key => values.has(key));
  if (beyond !== undefined) return { why: `has ${beyond}, for which llama.cpp's memory isn't known` };
  const tensors = headers.flatMap(header => header.tensors);
  const model = factsOf(id, values, tensors);
  const isWhole = model.layers > 0 && model.heads > 0 && model.hiddenSize > 0 && model.vocabSize > 0;
  return isWhole ? { model } : { why: 'does not state its sizes' };
}

class Values {
  constructor(
    private readonly header: GgufHeader,
    readonly architecture: string,
  ) {}

  has(key: string): boolean {
    return this.header.values.has(`${this.architecture}.${key}`);
  }

  /** A size; the largest where layers differ. */
  size(key: string, otherwise = 0): number {
    const value = this.header.values.get(`${this.architecture}.${key}`);
    if (typeof value === 'number') return value;
    return Array.isArray(value) ? Math.max(...(value as readonly number[])) : otherwise;
  }
}

const LAYER = /^blk\.(\d{1,4})\./;
const EXPERTS = /\.ffn_(?:up|down|gate|gate_up)_(?:ch)?exps\./;

/** Bytes by place: `blk.7.…` belongs to a layer, the word table to the host, the rest to the output. */
function weightsOf(tensors: readonly GgufTensor[], layers: number): GgufWeights {
  const sums = { words: 0, output: 0 };
  const inLayers = Array.from({ length: layers }, () => 0);
  const experts = Array.from({ length: layers }, () => 0);
  for (const { name, bytes } of tensors) {
    const layer = Number(LAYER.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(layer)) sums[INPUTS.test(name) ? 'words' : 'output'] += bytes;
    else {
      inLayers[layer] = (inLayers[layer] ?? 0) + bytes;
      if (EXPERTS.test(name)) experts[layer] = (experts[layer] ?? 0) + bytes;
    }
  }
  const tied = tensors.some(({ name }) => name === 'output.weight') ? 0 : sums.words;
  return { words: sums.words, layers: inLayers, output: sums.output + tied, experts };
}

const INPUTS = /^(?:token_embd|position_embd|token_types)\b/;

function factsOf(id: string, values: Values, tensors: readonly GgufTensor[]): ModelFacts {
  const has = (part: string): boolean => tensors.some(({ name }) => name.includes(part));
  const rows = (name: string): number => tensors.find(one => one.name === name)?.dimensions[1] ?? 0;
  const [layers, hiddenSize, heads] = [
    values.size('block_count'),
    values.size('embedding_length'),
    values.size('attention.head_count'),
  ];
  const experts = values.size('expert_count');
  const inner = values.size('expert_feed_forward_length', values.size('feed_forward_length'));
  const window = values.size('attention.sliding_window');
  return {
    ...noFacts,
    id,
    modelType: values.architecture,
    kind: 'decoder',
    hiddenSize,
    layers,
    heads,
    intermediateSize: values.size('feed_forward_length'),
    kvHeads: values.size('attention.head_count_kv', heads),
    headDim: values.size('attention.key_length', hiddenSize / heads),
    vocabSize: rows('token_embd.weight'),
    maxPositions: values.size('context_length') || null,
    tiedEmbeddings: !has('output.weight'),
    // Some files have gate and up in one matrix.
    gatedMlp: has('.ffn_gate') || rows('blk.0.ffn_up.weight') === 2 * values.size('feed_forward_length'),
    norm: has('output_norm.bias') ? 'layernorm' : 'rmsnorm',
    slidingWindow: window > 0 ? window : null,
    experts,
    expertsPerToken: values.size('expert_used_count'),
    moe: experts === 0 ? null : { ...NO_MOE, layers, intermediateSize: inner },
    mla: latentOf(values),
    publishedTotal: tensors.reduce((sum, { dimensions }) => sum + product(dimensions), 0),
    source: 'gguf',
    extra: {},
    gguf: weightsOf(tensors, layers),
  };
}

const product = (sizes: readonly number[]): number => sizes.reduce((all, size) => all * size, 1);

const NO_MOE = {
  sharedIntermediateSize: 0,
  sharedGate: false,
  routerBias: false,
  expertBias: false,
  scoreCorrection: false,
  besideDense: false,
};

/** Latent attention: the cache holds the latent and the rotated part of the keys, once for all heads. */
function latentOf(values: Values): ModelFacts['mla'] {
  const kvLoraRank = values.size('attention.kv_lora_rank');
  if (kvLoraRank === 0 || !values.has('attention.key_length_mla')) return null;
  const rotated = values.size('rope.dimension_count');
  return {
    qLoraRank: values.size('attention.q_lora_rank'),
    kvLoraRank,
    qkRopeHeadDim: rotated,
    qkNopeHeadDim: values.size('attention.key_length_mla') - rotated,
    vHeadDim: values.size('attention.value_length_mla'),
  };
}

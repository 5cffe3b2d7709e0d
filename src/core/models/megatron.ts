import type { MlaFacts, ModelFacts } from './model';
import { noFacts } from './noFacts';

/** Megatron-LM's arguments, without their dashes: `num-layers`, `swiglu` … */
export type MegatronArguments = Readonly<Record<string, string>>;

/** Model families of its pretraining scripts. */
export type MegatronFamily = 'gpt' | 'bert' | 't5';

/**
 * Vocabulary sizes of the tokenizers in its examples: GPT-2's, bert-large-uncased's, and bert-large-cased's with
 * 100 more (examples/gpt3, bert, t5).
 */
const WORDS: Readonly<Record<MegatronFamily, number>> = { gpt: 50257, bert: 30522, t5: 29096 };

/** The arguments' values, by name. */
interface ArgumentReader {
  readonly number: (name: string) => number | null;
  readonly on: (name: string) => boolean;
}

/** The model of Megatron's arguments; null without the sizes (megatron/training/arguments.py, validate_args). */
export function megatronModel(
  id: string,
  family: MegatronFamily,
  args: MegatronArguments,
  tensorRanks: number,
): ModelFacts | null {
  const reader: ArgumentReader = {
    number: name => (args[name] === undefined ? null : Number(args[name])),
    on: name => args[name] === 'true',
  };
  const { number } = reader;
  const [hiddenSize, heads] = [number('hidden-size'), number('num-attention-heads')];
  const layers = number('num-layers') ?? number('encoder-num-layers');
  if (hiddenSize === null || heads === null || layers === null) return null;
  const sparse = sparseLayers(args['moe-layer-freq'], layers);
  if (sparse === null) return null;
  const multiple = (number('make-vocab-size-divisible-by') ?? 128) * tensorRanks;
  return {
    ...noFacts,
    id,
    modelType: `megatron-${family}`,
    kind: KINDS[family],
    hiddenSize,
    layers,
    ...attentionIn(reader, heads, hiddenSize),
    vocabSize: padded(wordsOf(args) ?? WORDS[family], multiple),
    ...positionsIn(args, reader),
    tiedEmbeddings: !reader.on('untie-embeddings-and-output-weights'),
    norm: args['normalization'] === 'RMSNorm' ? 'rmsnorm' : 'layernorm',
    ...mlpIn(reader, hiddenSize, sparse),
    extra: {
      token_types: family === 'bert',
      decoder_layers: number('decoder-num-layers') ?? layers,
      hidden_dropout: number('hidden-dropout'),
      attention_dropout: number('attention-dropout'),
    },
  };
}

const KINDS: Readonly<Record<MegatronFamily, ModelFacts['kind']>> = {
  gpt: 'decoder',
  bert: 'encoder',
  t5: 'encoder-decoder',
};

function attentionIn({ number, on }: ArgumentReader, heads: number, hiddenSize: number): Partial<ModelFacts> {
  const bias = !on('disable-bias-linear');
  return {
    heads,
    kvHeads: on('group-query-attention') ? (number('num-query-groups') ?? 1) : heads,
    headDim: number('kv-channels') ?? hiddenSize / heads,
    qkvBias: bias,
    attentionOutBias: bias,
    mla: on('multi-latent-attention') ? mlaOf(number) : null,
    qkNorm: on('qk-layernorm') ? 'head' : null,
  };
}

function positionsIn(args: MegatronArguments, { number }: ArgumentReader): Partial<ModelFacts> {
  const length = number('max-position-embeddings') ?? number('seq-length');
  const positions = args['position-embedding-type'] === 'rope' ? 'rope' : 'learned';
  return { maxPositions: length, positions, positionRows: positions === 'learned' ? (length ?? 0) : 0 };
}

function mlpIn({ number, on }: ArgumentReader, hiddenSize: number, sparse: number): Partial<ModelFacts> {
  const gatedMlp = on('swiglu');
  const usual = gatedMlp ? gatedWidth(hiddenSize) : 4 * hiddenSize;
  const intermediateSize = number('ffn-hidden-size') ?? usual;
  const experts = number('num-experts') ?? 0;
  const mlp = { gatedMlp, intermediateSize, mlpBias: !on('disable-bias-linear'), experts };
  if (experts === 0) return mlp;
  const inner = number('moe-ffn-hidden-size') ?? intermediateSize;
  const moe = moeOf(sparse, inner, number('moe-shared-expert-intermediate-size') ?? 0);
  return { ...mlp, expertsPerToken: number('moe-router-topk') ?? 2, moe };
}

/** `int((4 * hidden * 2 / 3) / 64) * 64` */
const gatedWidth = (hidden: number): number => Math.floor((4 * hidden * 2) / 3 / 64) * 64;

/** NullTokenizer adds an end-of-document token to the requested size. */
function wordsOf(args: MegatronArguments): number | null {
  const stated = args['vocab-size'];
  return stated === undefined ? null : Number(stated) + 1;
}

/** Pads the vocabulary to the same number of rows per rank (training/utils, vocab_size_with_padding). */
const padded = (words: number, multiple: number): number => Math.ceil(words / multiple) * multiple;

/**
 * How many layers have experts (megatron/training/arguments.py, moe_freq_type): one in so many, or a pattern in Python,
 * `([0]*3+[1]*58)`; all by default. Null: another pattern.
 */
function sparseLayers(frequency: string | undefined, layers: number): number | null {
  if (frequency === undefined) return layers;
  const text = frequency.replaceAll(/[\s"']/g, '');
  if (/^\d{1,4}$/.test(text)) return Number(text) > 0 ? Math.ceil(layers / Number(text)) : null;
  const parts = text.replace(/^\((.*)\)$/, '$1').split('+');
  const counts = parts.map(part => {
    const [, list = null, times = '1'] = /^\[([01](?:,[01]){0,999})\](?:\*(\d{1,4}))?$/.exec(part) ?? [];
    if (list === null) return null;
    const flags = list.split(',');
    return {
      all: flags.length * Number(times),
      sparse: flags.filter(one => one === '1').length * Number(times),
    };
  });
  const all = counts.reduce((sum, each) => sum + (each?.all ?? Number.NaN), 0);
  return all === layers ? counts.reduce((sum, each) => sum + (each?.sparse ?? 0), 0) : null;
}

const moeOf = (
  layers: number,
  intermediateSize: number,
  sharedIntermediateSize: number,
): NonNullable<ModelFacts['moe']> => ({
  layers,
  intermediateSize,
  sharedIntermediateSize,
  sharedGate: false,
  routerBias: false,
  expertBias: false,
  scoreCorrection: false,
  besideDense: false,
});

/** core/transformer/transformer_config.py, MLATransformerConfig. */
const mlaOf = (number: (name: string) => number | null): MlaFacts => ({
  qLoraRank: number('q-lora-rank') ?? 512,
  kvLoraRank: number('kv-lora-rank') ?? 512,
  qkNopeHeadDim: number('qk-head-dim') ?? 128,
  qkRopeHeadDim: number('qk-pos-emb-head-dim') ?? 64,
  vHeadDim: number('v-head-dim') ?? 128,
});

import type { MlaFacts, ModelFacts, Positions } from './model';
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
  const mlp = mlpIn(args, reader, hiddenSize, layers);
  if (mlp === null) return null;
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
    ...mlp,
    extra: {
      token_types: family === 'bert',
      decoder_layers: number('decoder-num-layers') ?? layers,
      mtp_layers: number('mtp-num-layers') ?? 0,
      ...rateIn(reader, 'hidden-dropout'),
      ...rateIn(reader, 'attention-dropout'),
    },
  };
}

/** A dropout rate, if it is stated. */
function rateIn({ number }: ArgumentReader, name: string): Readonly<Record<string, number>> {
  const rate = number(name);
  return rate === null ? {} : { [name.replace('-', '_')]: rate };
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
    qkvBias: bias || on('add-qkv-bias'),
    attentionOutBias: bias,
    qkNorm: on('qk-layernorm') ? 'head' : null,
    mla: on('multi-latent-attention') ? mlaOf(number) : null,
  };
}

function positionsIn(args: MegatronArguments, { number, on }: ArgumentReader): Partial<ModelFacts> {
  const length = number('max-position-embeddings') ?? number('seq-length');
  const type = on('use-rotary-position-embeddings') ? 'rope' : args['position-embedding-type'];
  const positions = POSITIONS[type ?? ''] ?? 'learned';
  return { maxPositions: length, positions, positionRows: positions === 'learned' ? (length ?? 0) : 0 };
}

/** Choices of `position-embedding-type` other than the default, `learned_absolute` (megatron/training/arguments.py). */
const POSITIONS: Readonly<Record<string, Positions>> = {
  rope: 'rope',
  yarn: 'rope',
  mrope: 'rope',
  relative: 'relative',
  none: 'none',
};

function mlpIn(
  args: MegatronArguments,
  { number, on }: ArgumentReader,
  hiddenSize: number,
  layers: number,
): Partial<ModelFacts> | null {
  const gatedMlp = on('swiglu');
  const usual = gatedMlp ? gatedWidth(hiddenSize) : 4 * hiddenSize;
  const intermediateSize = number('ffn-hidden-size') ?? usual;
  const experts = number('num-experts') ?? 0;
  const mlp = { gatedMlp, intermediateSize, mlpBias: !on('disable-bias-linear'), experts };
  if (experts === 0) return mlp;
  const sparse = sparseLayers(args, layers);
  if (sparse === null) return null;
  const moe = {
    layers: sparse,
    intermediateSize: number('moe-ffn-hidden-size') ?? intermediateSize,
    sharedIntermediateSize: number('moe-shared-expert-intermediate-size') ?? 0,
    sharedGate: on('moe-shared-expert-gate'),
    routerBias: false,
    expertBias: false,
    scoreCorrection: on('moe-router-enable-expert-bias'),
    besideDense: false,
  };
  return { ...mlp, expertsPerToken: number('moe-router-topk') ?? 2, moe };
}

/**
 * Number of layers with experts; null if the pattern is not readable. `moe-layer-freq` is every n-th layer, or a list in Python:
 * `([0]*3+[1]*58)` (megatron/training/arguments.py, moe_freq_type; core/models/gpt/gpt_layer_specs.py).
 */
function sparseLayers({ 'moe-layer-freq': stated = '1' }: MegatronArguments, layers: number): number | null {
  const period = Number(stated);
  if (Number.isInteger(period) && period > 0) return Math.ceil(layers / period);
  const expression = stated.replaceAll(/[ '"]/g, '');
  const [, sum, repeats = '1'] = /^\(?([^()]{1,400})(?:\)(?:\*(\d{1,3}))?)?$/.exec(expression) ?? [];
  const lists = sum?.split('+').map(part => /^\[([01,]+)\](?:\*(\d{1,4}))?$/.exec(part)) ?? [null];
  if (lists.includes(null)) return null;
  const counted = (digit: RegExp): number =>
    lists.reduce(
      (count, list) => count + (list?.[1]?.match(digit)?.length ?? 0) * Number(list?.[2] ?? 1),
      0,
    ) * Number(repeats);
  return counted(/[01]/g) === layers ? counted(/1/g) : null;
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

/** core/transformer/transformer_config.py, MLATransformerConfig. */
const mlaOf = (number: (name: string) => number | null): MlaFacts => ({
  qLoraRank: number('q-lora-rank') ?? 512,
  kvLoraRank: number('kv-lora-rank') ?? 512,
  qkNopeHeadDim: number('qk-head-dim') ?? 128,
  qkRopeHeadDim: number('qk-pos-emb-head-dim') ?? 64,
  vHeadDim: number('v-head-dim') ?? 128,
});

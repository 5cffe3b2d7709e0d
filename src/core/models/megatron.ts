import type { MlaFacts, ModelFacts } from './model';
import { noFacts } from './noFacts';

/** Megatron-LM's arguments, without their dashes: `num-layers`, `swiglu` … */
export type MegatronArguments = Readonly<Record<string, string>>;

/** Families of its pretraining scripts. */
export type MegatronFamily = 'gpt' | 'bert' | 't5';

/**
 * Words of the tokenizers in its examples: GPT-2's, bert-large-uncased's, and bert-large-cased's with 100 more
 * (examples/gpt3, bert, t5).
 */
const WORDS: Readonly<Record<MegatronFamily, number>> = { gpt: 50257, bert: 30522, t5: 29096 };

/** A model as Megatron's arguments describe it; null without the sizes (megatron/training/arguments.py, validate_args). */
export function megatronModel(
  id: string,
  family: MegatronFamily,
  args: MegatronArguments,
  tensorRanks: number,
): ModelFacts | null {
  const number = (name: string): number | null => (args[name] === undefined ? null : Number(args[name]));
  const on = (name: string): boolean => args[name] === 'true';
  const [hiddenSize, heads] = [number('hidden-size'), number('num-attention-heads')];
  const layers = number('num-layers') ?? number('encoder-num-layers');
  if (hiddenSize === null || heads === null || layers === null) return null;
  const gated = on('swiglu');
  const bias = !on('disable-bias-linear');
  const length = number('max-position-embeddings') ?? number('seq-length');
  const positions = args['position-embedding-type'] === 'rope' ? 'rope' : 'learned';
  const inner = number('ffn-hidden-size') ?? (gated ? gatedWidth(hiddenSize) : 4 * hiddenSize);
  const experts = number('num-experts') ?? 0;
  return {
    ...noFacts,
    id,
    modelType: `megatron-${family}`,
    kind: family === 'gpt' ? 'decoder' : family === 'bert' ? 'encoder' : 'encoder-decoder',
    hiddenSize,
    intermediateSize: inner,
    layers,
    heads,
    kvHeads: on('group-query-attention') ? (number('num-query-groups') ?? 1) : heads,
    headDim: number('kv-channels') ?? hiddenSize / heads,
    vocabSize: padded(
      wordsOf(args) ?? WORDS[family],
      (number('make-vocab-size-divisible-by') ?? 128) * tensorRanks,
    ),
    maxPositions: length,
    positions,
    positionRows: positions === 'learned' ? (length ?? 0) : 0,
    tiedEmbeddings: !on('untie-embeddings-and-output-weights'),
    qkvBias: bias,
    attentionOutBias: bias,
    mlpBias: bias,
    gatedMlp: gated,
    norm: args['normalization'] === 'RMSNorm' ? 'rmsnorm' : 'layernorm',
    experts,
    expertsPerToken: experts > 0 ? (number('moe-router-topk') ?? 2) : 0,
    moe: experts > 0 ? moeOf(layers, number('moe-ffn-hidden-size') ?? inner) : null,
    mla: on('multi-latent-attention') ? mlaOf(number) : null,
    extra: { token_types: family === 'bert', decoder_layers: number('decoder-num-layers') ?? layers },
  };
}

/** `int((4 * hidden * 2 / 3) / 64) * 64` */
const gatedWidth = (hidden: number): number => Math.floor((4 * hidden * 2) / 3 / 64) * 64;

/** NullTokenizer has a word for the end of a document beside those that are asked for. */
function wordsOf(args: MegatronArguments): number | null {
  const stated = args['vocab-size'];
  return stated === undefined ? null : Number(stated) + 1;
}

/** Rows that every rank has as many of (training/utils, vocab_size_with_padding). */
const padded = (words: number, multiple: number): number => Math.ceil(words / multiple) * multiple;

const moeOf = (layers: number, intermediateSize: number): NonNullable<ModelFacts['moe']> => ({
  layers,
  intermediateSize,
  sharedIntermediateSize: 0,
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

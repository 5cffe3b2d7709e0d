import type { Description } from './description';
import type { NetworkFacts } from './network';

/** Parameters by kind; `total` is their sum as loaded (tied weights count once). */
export interface ParameterCounts {
  readonly total: number;
  /** Word, position and token-type tables, and projections between embedding and hidden size. */
  readonly embedding: number;
  /** Projections with their biases; low-rank pairs of MLA. */
  readonly attention: number;
  /** Dense MLPs, experts and routers. */
  readonly mlp: number;
  /** All norms, those on queries and keys included. */
  readonly norm: number;
  /** Language-model or classification head; 0 when tied to the embedding. */
  readonly head: number;
  /** Poolers, relative-position tables, convolutions. */
  readonly other: number;
}

/** The source of architecture facts. */
/** `download`: from the Hub, by Headroom. `name`: of a known model that a folder or a copy is only called like. */
export type ModelFactsSource =
  | 'catalog'
  | 'config.json'
  | 'gguf'
  | 'hugging-face-cache'
  | 'download'
  | 'user'
  | 'name';

export type ModelKind =
  | 'decoder'
  | 'encoder'
  | 'encoder-decoder'
  | 'state-space'
  | 'vision-language'
  | 'vision'
  | 'speech'
  | 'diffusion'
  | 'other';

export type NormKind = 'rmsnorm' | 'layernorm' | 'layernorm-no-bias' | 'none';

/** Positional encoding. */
export type Positions = 'rope' | 'learned' | 'alibi' | 'relative' | 'sinusoidal' | 'none';

/** Mixture of experts, in addition to `experts` and `expertsPerToken`. Sizes are per expert. */
export interface MoeFacts {
  /** Layers that have experts; the others have the dense MLP of `intermediateSize`. */
  readonly layers: number;
  readonly intermediateSize: number;
  /**
   * Width of what the routed experts read and write, between a projection from the hidden size and one back; absent:
   * the hidden size. The router and the shared expert see the hidden size.
   */
  readonly latentSize?: number;
  /** Width of the always-active shared expert(s) together; 0: none. */
  readonly sharedIntermediateSize: number;
  readonly sharedGate: boolean;
  readonly routerBias: boolean;
  readonly expertBias: boolean;
  /** One correction value per expert (DeepSeek-V3 style balancing). */
  readonly scoreCorrection: boolean;
  /** Each layer also has a dense MLP next to the experts. */
  readonly besideDense: boolean;
}

/** Multi-head latent attention (DeepSeek). */
export interface MlaFacts {
  /** 0: queries are projected directly. */
  readonly qLoraRank: number;
  readonly kvLoraRank: number;
  readonly qkNopeHeadDim: number;
  readonly qkRopeHeadDim: number;
  readonly vHeadDim: number;
}

/** Weights of a GGUF file, by llama.cpp's placement. */
export interface GgufWeights {
  /** The word table, which stays on the host. */
  readonly words: number;
  /** Bytes of each layer. */
  readonly layers: readonly number[];
  /** The last norm and the head; a tied head is a copy of the table. */
  readonly output: number;
  /** The part of each layer that `--cpu-moe` keeps on the host; absent: not known. */
  readonly experts?: readonly number[];
}

/** A model that a pipeline loads in addition to the trained network: encodes texts or images. */
export interface Companion {
  readonly name: string;
  readonly kind: 'text encoder' | 'autoencoder';
  readonly parameters: number;
  /** The image encoder of an autoencoder: channels per level, layers per level, output channels. */
  readonly encoder?: {
    readonly widths: readonly number[];
    readonly layers: number;
    readonly latents: number;
  };
  /** Training keeps it in fp32 (`force_upcast`; diffusers' train_text_to_image_lora_sdxl.py). */
  readonly upcasts?: boolean;
}

/** A part of a pipeline besides its denoiser, as the pipeline needs it to make pictures. */
export interface PipelinePart {
  readonly name: string;
  readonly kind: 'text encoder' | 'image classifier' | 'autoencoder';
  readonly parameters: number;
  /** The decoder of an autoencoder; null: another kind of part. */
  readonly decoder: DecoderSizes | null;
}

/** Sizes of the decoder of diffusers' AutoencoderKL. */
export interface DecoderSizes {
  /** Channels per level, the outermost first (`block_out_channels`). */
  readonly widths: readonly number[];
  /** Layers per level: `layers_per_block` and one more. */
  readonly layers: number;
  /** Pixels of a side up to which tiled decoding does not cut a picture (`sample_size`); absent: not known. */
  readonly tile?: number;
  /** Weights in fp16 are cast to fp32 before they decode (`force_upcast`, in a pipeline that heeds it). */
  readonly upcasts?: boolean;
}

/** What a pipeline takes to make pictures from texts. */
export interface PipelineFacts {
  readonly parts: readonly PipelinePart[];
  /** Pixels of a side if a call states none. */
  readonly side: number;
  /** With guidance it computes rows with and without their prompts in one pass. */
  readonly guided: boolean;
}

/**
 * Architecture facts of one model, named as in Hugging Face's `config.json`. Sizes are element counts. Null means
 * unknown; false or 0 means that the family does not have it. For a vision-language model the sizes are those of
 * its language model.
 */
export interface ModelFacts {
  /** The name in the config. */
  readonly id: string;
  /** `llama`, `mistral`, `qwen2`, `bert` …: decides which architecture file builds the tape. */
  readonly modelType: string;
  readonly kind: ModelKind;
  readonly hiddenSize: number;
  readonly intermediateSize: number;
  readonly layers: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly vocabSize: number;
  readonly maxPositions: number | null;
  readonly positions: Positions;
  /** Rows of the learned position table; 0: none. */
  readonly positionRows: number;
  readonly tiedEmbeddings: boolean;
  readonly qkvBias: boolean;
  readonly attentionOutBias: boolean;
  readonly mlpBias: boolean;
  readonly gatedMlp: boolean;
  readonly activation: string | null;
  readonly norm: NormKind;
  /** Norms of hidden size per layer: 2; 1 where attention and MLP run in parallel; 4 in Gemma 2 and 3. */
  readonly normsPerLayer: number;
  /** Norm on queries and keys: one over headDim for all heads, one per head, or one over the whole projection. */
  readonly qkNorm: 'head' | 'each-head' | 'full' | null;
  /** The checkpoint's dtype. */
  readonly dtype: 'float32' | 'bfloat16' | 'float16' | null;
  readonly slidingWindow: number | null;
  readonly experts: number;
  readonly expertsPerToken: number;
  readonly moe: MoeFacts | null;
  readonly mla: MlaFacts | null;
  /** Parameters counted from the shapes; null without a counting rule. */
  readonly parameters: ParameterCounts | null;
  /** The user's description of a model with unknown architecture; the sizes are then 0. */
  readonly described?: Description;
  /** A project's own network as its code builds it; the sizes are then 0. */
  readonly network?: NetworkFacts;
  /** Published number of parameters as loaded (`extra.verified` marks approximate ones); null: not published. */
  readonly publishedTotal: number | null;
  readonly source: ModelFactsSource;
  /** Other models of its pipeline (diffusion). */
  readonly companions?: readonly Companion[];
  /** The model that drafts tokens for this one where a server names one. */
  readonly drafter?: ModelFacts;
  /** Bytes of its tensors, where a GGUF file was read. */
  readonly gguf?: GgufWeights;
  /** What its pipeline needs to make pictures; absent: not known. */
  readonly pipeline?: PipelineFacts;
  /** The catalog's record, if the name is another name of the same architecture; else null. */
  readonly sameAs: string | null;
  /**
   * Other facts for architecture files, under config.json's names: `type_vocab_size`, `has_pooler`,
   * `embedding_size`, `word_embed_dim`, `embed_norm`, `final_norm` (false: none), `lm_head_bias`, `no_lm_head`,
   * `parallel_residual`, `sliding_window_pattern`, `rope_theta`, `attention_sinks`, `stored_dtype` …
   */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** The result of a search for a model's facts. */
export interface ModelLookup {
  readonly model: ModelFacts | null;
  /** Without facts: a sentence about the places searched and what was wrong there. */
  readonly why: string | null;
  /** Files that were read or looked for; the result may change when one of them does. */
  readonly dependencies: readonly string[];
}

/** A model of the catalog that could stand in for an unknown one. */
export interface SimilarModel {
  readonly id: string;
  readonly kind: ModelKind;
  readonly parameters: number;
  /** About as large as the unknown model's name says. */
  readonly isOfSize: boolean;
}

/** Architecture facts by hub id or by folder. */
export interface ModelSource {
  /** `from` is the file that names the model: relative paths are first resolved against it. */
  find(model: string, from: string): Promise<ModelLookup>;
  /** Known models that could stand in for an unknown one, best first; absent without a catalog. */
  readonly similar?: (model: string) => Promise<readonly SimilarModel[]>;
}

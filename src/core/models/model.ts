import type { Description } from './described';

/** Parameters counted by what they are; `total` is their sum as loaded (tied weights once). */
export interface ParameterCounts {
  readonly total: number;
  /** Word, position and token-type tables, and projections between embedding and hidden size. */
  readonly embedding: number;
  /** Projections with their biases; MLA's low-rank pairs. */
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

/** Where architecture facts were found. */
/** `name`: of a known model that a folder or a copy is only called like. */
export type ModelFactsSource = 'catalog' | 'config.json' | 'hugging-face-cache' | 'user' | 'name';

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

/** How a model knows the order of its tokens. */
export type Positions = 'rope' | 'learned' | 'alibi' | 'relative' | 'sinusoidal' | 'none';

/** Mixture of experts, in addition to `experts` and `expertsPerToken`. Sizes are per expert. */
export interface MoeFacts {
  /** Layers that have experts; the others have the dense MLP of `intermediateSize`. */
  readonly layers: number;
  readonly intermediateSize: number;
  /** Width of the always-active shared expert(s) together; 0: none. */
  readonly sharedIntermediateSize: number;
  readonly sharedGate: boolean;
  readonly routerBias: boolean;
  readonly expertBias: boolean;
  /** One correction value per expert (DeepSeek-V3 style balancing). */
  readonly scoreCorrection: boolean;
  /** A dense MLP works in addition to the experts of the same layer. */
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

/** What a pipeline loads in addition to the network that is trained: it encodes texts, or images. */
export interface Companion {
  readonly name: string;
  readonly kind: 'text encoder' | 'autoencoder';
  readonly parameters: number;
  /** An autoencoder's encoder of images: channels level by level, layers of each level, channels that come out. */
  readonly encoder?: {
    readonly widths: readonly number[];
    readonly layers: number;
    readonly latents: number;
  };
}

/**
 * Architecture facts of one model, in the words of Hugging Face's `config.json`. Sizes are element counts.
 * A fact that is not known is null; a family that does not have the thing says false or 0. Of a vision-language
 * model the sizes are those of its language model.
 */
export interface ModelFacts {
  /** As the config names it. */
  readonly id: string;
  /** `llama`, `mistral`, `qwen2`, `bert` … : which architecture file builds its tape. */
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
  /** Norms of hidden size in each layer: 2; 1 where attention and MLP run side by side; 4 in Gemma 2 and 3. */
  readonly normsPerLayer: number;
  /** Norm on queries and keys: one for all heads over headDim, one a head, or one over the whole projection. */
  readonly qkNorm: 'head' | 'each-head' | 'full' | null;
  /** The checkpoint's dtype. */
  readonly dtype: 'float32' | 'bfloat16' | 'float16' | null;
  readonly slidingWindow: number | null;
  readonly experts: number;
  readonly expertsPerToken: number;
  readonly moe: MoeFacts | null;
  readonly mla: MlaFacts | null;
  /** Parameters as counted from the shapes; null where no counting rule exists. */
  readonly parameters: ParameterCounts | null;
  /** What its user says of a model whose architecture no one knows: then the sizes are 0. */
  readonly described?: Description;
  /** Weights of the loaded model as published (`extra.verified` says when less than exactly); null: nowhere. */
  readonly publishedTotal: number | null;
  readonly source: ModelFactsSource;
  /** What its pipeline has in addition to it (diffusion). */
  readonly beside?: readonly Companion[];
  /** The catalog's record whose facts these are, when the name is another of the same architecture; else null. */
  readonly sameAs: string | null;
  /**
   * Everything else an architecture file may ask for, under config.json's names: `type_vocab_size`, `has_pooler`,
   * `embedding_size`, `word_embed_dim`, `embed_norm`, `final_norm` (false: none), `lm_head_bias`, `no_lm_head`,
   * `parallel_residual`, `sliding_window_pattern`, `rope_theta`, `attention_sinks`, `stored_dtype` …
   */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** What a search for a model's facts came to. */
export interface ModelLookup {
  readonly model: ModelFacts | null;
  /** Without facts: a sentence that says where was looked and what was wrong there. */
  readonly why: string | null;
  /** Files that were read or looked for; the answer may change when one of them does. */
  readonly dependencies: readonly string[];
}

/** A model of the catalog that could stand in for one that nobody knows. */
export interface SimilarModel {
  readonly id: string;
  readonly kind: ModelKind;
  readonly parameters: number;
  /** About as large as the name of the unknown model says. */
  readonly isOfSize: boolean;
}

/** Architecture facts by hub id or by folder. */
export interface ModelSource {
  /** `from` is the file that names the model: a relative path is first tried next to it. */
  find(model: string, from: string): Promise<ModelLookup>;
  /** Known models that could stand in for one that is not, the likeliest first; absent where there is no catalog. */
  readonly similar?: (model: string) => Promise<readonly SimilarModel[]>;
}

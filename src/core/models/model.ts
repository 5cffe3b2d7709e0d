/** Parameters counted by what they are; `total` is their sum as loaded (tied weights once). */
export interface ParameterCounts {
  readonly total: number;
  readonly embedding: number;
  readonly attention: number;
  readonly mlp: number;
  readonly norm: number;
  /** 0 when tied to the embedding. */
  readonly head: number;
  readonly other: number;
}

/** Where architecture facts were found. */
export type ModelFactsSource = 'catalog' | 'config.json' | 'hugging-face-cache' | 'user';

/**
 * Architecture facts of one model, in the words of Hugging Face's `config.json`. Sizes are element counts.
 * A fact that is not known is null; a family that does not have the thing says false or 0.
 */
export interface ModelFacts {
  /** As the config names it. */
  readonly id: string;
  /** `llama`, `mistral`, `qwen2`, `bert` … : which architecture file builds its tape. */
  readonly modelType: string;
  readonly kind: 'decoder' | 'encoder' | 'encoder-decoder' | 'vision' | 'diffusion' | 'other';
  readonly hiddenSize: number;
  readonly intermediateSize: number;
  readonly layers: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly vocabSize: number;
  readonly maxPositions: number | null;
  readonly tiedEmbeddings: boolean;
  readonly qkvBias: boolean;
  readonly attentionOutBias: boolean;
  readonly mlpBias: boolean;
  readonly gatedMlp: boolean;
  readonly activation: string | null;
  /** The checkpoint's dtype. */
  readonly dtype: 'float32' | 'bfloat16' | 'float16' | null;
  readonly slidingWindow: number | null;
  readonly experts: number;
  readonly expertsPerToken: number;
  /** Parameters as counted from the shapes; null where no counting rule exists. */
  readonly parameters: ParameterCounts | null;
  /** Total as published, where it is known and the shapes are not enough. */
  readonly publishedTotal: number | null;
  readonly source: ModelFactsSource;
  /** Everything else of config.json that an architecture file may ask for. */
  readonly extra: Readonly<Record<string, unknown>>;
}

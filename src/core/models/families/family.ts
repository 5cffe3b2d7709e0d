import type { ModelFacts, ModelKind, NormKind, ParameterCounts, Positions } from '../model';
import type { ConfigValues } from './config';

/** Parameters by kind, from the shapes alone; null if there is no rule for these shapes. */
type CountingRule = (model: ModelFacts) => ParameterCounts | null;

/** A fact that the modeling code fixes, or the key of config.json that decides it. */
export type Flag = boolean | string;

export type SizeName =
  | 'hiddenSize'
  | 'intermediateSize'
  | 'layers'
  | 'heads'
  | 'kvHeads'
  | 'headDim'
  | 'vocabSize'
  | 'maxPositions';

/** Keys of a family's experts. */
export interface MoeKeys {
  readonly experts: readonly string[];
  readonly width: string;
  /** Width of the shared expert, or its multiple of the experts' width. */
  readonly sharedWidth?: string;
  readonly sharedExperts?: string;
  /** Width of what the routed experts read, if not the hidden size. */
  readonly latent?: string;
  /** Number of first layers without experts, if not `first_k_dense_replace`. */
  readonly firstDense?: string;
  /** Experts per token, if not `num_experts_per_tok`. */
  readonly perToken?: string;
  readonly sharedGate?: true;
  readonly routerBias?: true;
  readonly expertBias?: true;
  readonly scoreCorrection?: true;
}

/** How to read config.json of one model type: facts that the modeling code fixes, and the keys of the others. */
export interface Family {
  readonly kind: ModelKind;
  /** Non-standard keys, in order of preference. */
  readonly keys?: Readonly<Partial<Record<SizeName, readonly string[]>>>;
  /** Keys of the activation's name. */
  readonly activation?: readonly string[];
  readonly norm: NormKind;
  readonly normsPerLayer: number;
  readonly positions: Positions;
  readonly qkvBias: Flag;
  readonly attentionOutBias: Flag;
  readonly mlpBias: Flag;
  readonly gatedMlp: boolean;
  readonly qkNorm?: NonNullable<ModelFacts['qkNorm']>;
  /** The key that enables `qkNorm`; absent: always on. */
  readonly qkNormWhen?: string;
  /** MLP width as a multiple of the hidden size if the config does not state it. */
  readonly widthFactor?: number;
  readonly moe?: MoeKeys;
  readonly mla?: true;
  /** Facts for `ModelFacts.extra` that the modeling code fixes. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Facts that depend on several keys. */
  readonly adjust?: (values: ConfigValues, model: ModelFacts) => Partial<ModelFacts>;
  /** Why this table does not fit a config; null if it does. */
  readonly refuse?: (values: ConfigValues) => string | null;
  readonly count: CountingRule | null;
}

export type Families = Readonly<Record<string, Family>>;

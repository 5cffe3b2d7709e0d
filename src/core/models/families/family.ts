import type { ModelFacts, ModelKind, NormKind, ParameterCounts, Positions } from '../model';
import type { ConfigValues } from './config';

/** Parameters by kind from the shapes alone; null where these shapes have no rule. */
export type CountingRule = (model: ModelFacts) => ParameterCounts | null;

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

/** Which keys describe the experts of a family. */
export interface MoeKeys {
  readonly experts: readonly string[];
  readonly width: string;
  /** Width of the shared expert, or how many experts' widths it has. */
  readonly sharedWidth?: string;
  readonly sharedExperts?: string;
  /** How many first layers have no experts, where not `first_k_dense_replace`. */
  readonly firstDense?: string;
  /** How many experts a token is sent to, where not `num_experts_per_tok`. */
  readonly perToken?: string;
  readonly sharedGate?: true;
  readonly routerBias?: true;
  readonly expertBias?: true;
  readonly scoreCorrection?: true;
}

/** How config.json of one model type becomes facts: what the modeling code fixes, and the keys that decide the rest. */
export interface Family {
  readonly kind: ModelKind;
  /** Keys where they are not the standard ones, most wanted first. */
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
  /** The key that switches `qkNorm` on; always on when absent. */
  readonly qkNormWhen?: string;
  /** The MLP's width in hidden sizes when the config does not state it. */
  readonly widthFactor?: number;
  readonly moe?: MoeKeys;
  readonly mla?: true;
  /** Facts for `ModelFacts.extra` that the modeling code fixes. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** What several keys decide together. */
  readonly adjust?: (values: ConfigValues, model: ModelFacts) => Partial<ModelFacts>;
  /** Why this table does not describe a configuration; null when it does. */
  readonly refuse?: (values: ConfigValues) => string | null;
  readonly count: CountingRule | null;
}

export type Families = Readonly<Record<string, Family>>;

import type { DryRunPreference } from './preference';

/** The request of a dry run, as `src/python` reads it. */
export interface DryRunRequest {
  readonly protocol: 1;
  readonly task: 'dry run';
  /** The folder that keeps compiled helpers between runs. */
  readonly cacheFolder: string;
  readonly model: DryRunModel;
  readonly head: string;
  readonly training: boolean;
  /** Rows of one forward pass, and tokens per row. */
  readonly rows: number;
  readonly tokens: number | null;
  /** Tokens per row of targets (encoder–decoders). */
  readonly targets: number | null;
  readonly padded: boolean;
  readonly image: { readonly channels: number; readonly height: number; readonly width: number } | null;
  readonly weights: DryRunDtype;
  readonly autocast: DryRunDtype | null;
  /** Outputs under autocast are copied to fp32, as accelerate does. */
  readonly widensOutputs: boolean;
  readonly quantization: 'nf4' | 'nf4-dq' | null;
  readonly upcast: 'all' | 'norms' | 'none';
  readonly adapters: DryRunAdapters | null;
  readonly checkpointing: 'none' | 'reentrant' | 'non-reentrant';
  readonly attention: 'eager' | 'sdpa';
  readonly optimizer: string;
  /** Gradients of several micro-batches are accumulated before a step. */
  readonly accumulates: boolean;
  /**
   * `few`: two, three and four layers, extrapolated to all; `all`: every layer is run; `auto`: whichever is quick.
   */
  readonly layers: 'auto' | 'few' | 'all';
  /** Keys and values stay after the forward pass (inference); null: the model's default. */
  readonly useCache: boolean | null;
  readonly logitsToKeep: number | null;
  /** Pairs of rows are compared, the chosen ones first; absent: the loss is the model's own. */
  readonly preference?: DryRunPreference;
}

export type DryRunDtype = 'fp32' | 'bf16' | 'fp16';

export type DryRunModel =
  /** A transformers model, given by its config.json. */
  | { readonly kind: 'transformers'; readonly config: Readonly<Record<string, unknown>> }
  /** The user's own function: `module:function`, imported from `folder`. */
  | {
      readonly kind: 'entry';
      readonly entry: string;
      readonly folder: string;
      readonly settings: Readonly<Record<string, unknown>>;
    };

export interface DryRunAdapters {
  readonly r: number;
  readonly alpha: number | null;
  readonly dropout: number;
  /** Null: PEFT's default for the architecture. */
  readonly targets: readonly string[] | 'all-linear' | null;
  readonly modulesToSave: readonly string[];
  readonly dora: boolean;
  readonly rslora: boolean;
  readonly dtype: DryRunDtype;
  readonly inputGradients: boolean;
}

/** Bytes by phase (`forward steady` …), and at each phase's peak by purpose. */
export interface DryRunResult {
  readonly versions: Readonly<Record<string, string>>;
  readonly seconds: number;
  readonly phases: Readonly<Record<string, number>>;
  readonly alive: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** The memory that torch reserved after the steps; null if it was not replayed (few layers). */
  readonly reserved: number | null;
  readonly parameters: number;
  readonly trained: number;
  readonly operations: number;
  /** The numbers of layers that were run instead of all; null: all were. */
  readonly fromLayers: readonly number[] | null;
}

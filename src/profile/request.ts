import type { DryRunPreference } from './preference';

/** What a dry run is told, as `src/python` reads it. */
export interface DryRunRequest {
  readonly protocol: 1;
  readonly task: 'dry run';
  /** Where compiled helpers are kept between runs. */
  readonly cacheFolder: string;
  readonly model: DryRunModel;
  readonly head: string;
  readonly training: boolean;
  /** Rows of one forward pass, and tokens of each. */
  readonly rows: number;
  readonly tokens: number | null;
  /** Tokens of a row of targets (encoder–decoders). */
  readonly targets: number | null;
  readonly padded: boolean;
  readonly image: { readonly channels: number; readonly height: number; readonly width: number } | null;
  readonly weights: DryRunDtype;
  readonly autocast: DryRunDtype | null;
  /** Outputs under autocast are copied to fp32, as accelerate does it. */
  readonly widensOutputs: boolean;
  readonly quantization: 'nf4' | 'nf4-dq' | null;
  readonly upcast: 'all' | 'norms' | 'none';
  readonly adapters: DryRunAdapters | null;
  readonly checkpointing: 'none' | 'reentrant' | 'non-reentrant';
  readonly attention: 'eager' | 'sdpa';
  readonly optimizer: string;
  /** Gradients of several micro batches are added up before a step. */
  readonly accumulates: boolean;
  /** `few`: two, three and four layers say what all need; `all`: every one is run; `auto`: what is quick. */
  readonly layers: 'auto' | 'few' | 'all';
  /** Keys and values stay after the forward pass; null: as the model has it (inference). */
  readonly useCache: boolean | null;
  readonly logitsToKeep: number | null;
  /** Pairs of rows are compared, the chosen ones first; not said: the loss is the model's own. */
  readonly preference?: DryRunPreference;
}

export type DryRunDtype = 'fp32' | 'bf16' | 'fp16';

export type DryRunModel =
  /** Of transformers, by the words of its config.json. */
  | { readonly kind: 'transformers'; readonly config: Readonly<Record<string, unknown>> }
  /** The user's own: `module:function`, looked for in `folder`. */
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
  /** Null: PEFT's own default for the architecture. */
  readonly targets: readonly string[] | 'all-linear' | null;
  readonly modulesToSave: readonly string[];
  readonly dora: boolean;
  readonly rslora: boolean;
  readonly dtype: DryRunDtype;
  readonly inputGradients: boolean;
}

/** Bytes by phase (`forward steady` …), and by what they are held for at each phase's peak. */
export interface DryRunResult {
  readonly versions: Readonly<Record<string, string>>;
  readonly seconds: number;
  readonly phases: Readonly<Record<string, number>>;
  readonly alive: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Torch reserved after the steps; null where it was not replayed (few layers). */
  readonly reserved: number | null;
  readonly parameters: number;
  readonly trained: number;
  readonly operations: number;
  /** Numbers of layers that were run in place of all; null: all were. */
  readonly fromLayers: readonly number[] | null;
}

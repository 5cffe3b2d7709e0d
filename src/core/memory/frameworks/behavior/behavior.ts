/*
 * What frameworks and their releases do differently, as far as memory goes. Everything the tape's builders ask about a
 * framework is decided in this folder, from tables with sources; never from the name of a model or of a source.
 */

/** How hidden states become a loss. */
export type LossCode =
  | {
      readonly kind: 'cross-entropy';
      /** `logits = logits.float()` frees the 16-bit logits only where the name is rebound in the model's own forward. */
      readonly upcast: 'in forward' | 'in the loss' | 'never';
      /** Labels are shifted against all logits, or logits and labels are both cut and copied. */
      readonly shift: 'labels' | 'copies';
      readonly kernel: CrossEntropyKernel;
    }
  /** Logits of a part of the tokens at a time, with their gradients made at once (Liger). */
  | { readonly kind: 'fused linear'; readonly upcast: boolean }
  /** Logits of some tokens at a time, each part checkpointed. */
  | { readonly kind: 'chunked'; readonly tokens: number }
  | { readonly kind: 'chunked'; readonly parts: number }
  /**
   * Logits of parts of the tokens, and the loss of each part by itself. Logits are made by the loss, part by part, or before
   * it; then they may be fp32 in the trainer's hands until the step ends.
   */
  | {
      readonly kind: 'in parts';
      readonly made: 'within' | 'before' | 'before, in fp32';
      readonly parts: number;
      readonly compiled: boolean;
    }
  /** Logits never exist: only their log-sum-exp is kept (cut cross entropy). */
  | { readonly kind: 'cut' }
  /** Log-probabilities of pairs: of the labels alone, or after the log-softmax of all logits. */
  | {
      readonly kind: 'log-probabilities';
      readonly selective: boolean;
      /** Logits become fp32 in any case, and stay for what is logged of them, while the reference is asked. */
      readonly keepsLogits?: true;
      /** Logits of both passes stay until the entropies of the policy are logged, of a copy of its logits. */
      readonly logsEntropies?: true;
    }
  /** Log-probabilities of what a model has written: of logits divided by a temperature, or of tiles of them. */
  | { readonly kind: 'policy'; readonly logits: 'tiles' | 'in place' | 'copies' }
  /** The divergence from a teacher's words (GKD). */
  | { readonly kind: 'distillation' };

/**
 * torch: log-softmax and its gradients, of all tokens, of a part at a time, or of a rank's part of the words; in place: the logits become their own gradient,
 * backwards or at once; compiled: the gradient follows from the logits and two numbers a row.
 */
export type CrossEntropyKernel =
  | 'torch'
  | 'torch, by column'
  | 'torch, in parts'
  | 'torch, by ranks'
  | 'in place backwards'
  | 'in place forwards'
  | 'compiled';

/** Fused kernels that stand in for the model's own code. */
export interface Kernels {
  readonly rmsNorm: boolean;
  readonly rotary: boolean;
  readonly gatedMlp: boolean;
  /** Query, key and value projections with their adapters as one function. */
  readonly loraInputs: boolean;
  /** The output projection with its adapter as one function. */
  readonly loraOutput: boolean;
  /** The gated MLP with its adapters as one function. */
  readonly loraMlp: boolean;
}

/** How tokens are generated after a prompt (transformers, cache_utils.py and generation/utils.py). */
export interface GenerationCode {
  /** Each layer's cache is replaced by a longer one, or all by those of a new tuple when the pass ends. */
  readonly cache: 'concatenated' | 'tuples';
  /** The cache begins with a copy of the prompt's keys and values, not with those themselves. */
  readonly copiesPrompt: boolean;
  /** Caches of layers with a window keep no more than that. */
  readonly slides: boolean;
  /** A pass's logits live to the end of the next one. */
  readonly keepsOutputs: boolean;
  /** Logits of the prompt are those of its last token, or of all. */
  readonly promptLogits: 'last' | 'all';
  /** Logits are copied to fp32 also where there is no loss. */
  readonly widensLogits: boolean;
}

export interface Behavior {
  /** Someone says which releases run; else they are supposed. */
  readonly releaseStated: boolean;
  /** The framework is one that there is a profile of; else it is taken for a script on transformers. */
  readonly frameworkKnown: boolean;
  readonly loss: LossCode;
  readonly kernels: Kernels;
  /** SDPA gets each key and value head once per query head even where the kernel could share them. */
  readonly repeatsKeyHeads: boolean;
  /** SDPA gets contiguous copies of its inputs. */
  readonly copiesAttentionInputs: boolean;
  /**
   * The family's code before a release that changed it: as its architecture file has it under `former`.
   */
  readonly formerCode: boolean;
  /** Checkpointed layers hand keys and values out, which live to the end of the forward pass. */
  readonly returnsCheckpointedCache: boolean;
  /** PEFT's layer over a quantised base leaves its input as it is under autocast, instead of casting it. */
  readonly adaptersTakeInputAsIs: boolean;
  readonly generation: GenerationCode;
  /** Adapters on a 16-bit base are held in fp32; on a quantised one only; never. */
  readonly widensAdapters: 'always' | 'quantised' | 'never';
  /** Model code of the framework's own, which was read and not run. */
  readonly ownModelCode: boolean;
  /** GELU's tanh form is one kernel, not seven operations. */
  readonly fusesGelu: boolean;
  /** Padded rows get a mask; litgpt leaves it to causality (finetune/lora.py pads on the right). */
  readonly masksPadding: boolean;
  /** Adapters on queries, keys or values sit on the one layer that projects all three, where a family has such. */
  readonly fusesQueryKeyValue: boolean;
  /** All linear layers are the layers of that class; PEFT adds experts that once were such (transformers_weight_conversion.py). */
  readonly namesLinearLayers: boolean;
  /** 16-bit outputs of a model under autocast are copied to fp32 (accelerate, convert_outputs_to_fp32). */
  readonly copiesOutputs: boolean;
  /** 4-bit linear layers keep their input although no one needs it. */
  readonly keepsQuantizedInputs: boolean;
  /** 4-bit weights are dequantised into fp16, and cast from there. */
  readonly unpacksToHalf: boolean;
  /** A head may share the embedding's weight, where the config ties them. */
  readonly tiesHead: boolean;
  /** The head is quantised, too. */
  readonly quantizesHead: boolean;
  /** Of several devices each holds embedding and head, and a share of the layers. */
  readonly spreadsBlocks: boolean;
  /** GPTQ weights are unpacked by torch operations, whose product keeps the weight, or by a kernel of their own. */
  readonly unpacksGptqInTorch: boolean;
  /**
   * Models are built of their config and hold no checkpoint: what the config ties is tied, nothing is kept in fp32 next to
   * fp16, and every mask is made where rows are padded. Runs on fake tensors are so.
   */
  readonly madeOfConfig: boolean;
  /** Linear layers of classes derived from torch's are quantised, too (transformers asks isinstance). */
  readonly quantizesDerived: boolean;
  /** Checkpointing is reentrant when the config does not say (transformers 4: gradient_checkpointing_enable). */
  readonly reentrant: boolean;
  /** Frozen and trained parameters of a layer are one unit of FSDP 1 (torch, docs of use_orig_params). */
  readonly flattensFrozen: boolean;
  /** The allocator's segments grow (PYTORCH_ALLOC_CONF=expandable_segments:True). */
  readonly expandableSegments: boolean;
  /** Gradients are zeroed where they are, and there while the next step runs. */
  readonly keepsGradients: boolean;
  /** torch's relu keeps its input, in addition to its result where that is what the next layer keeps. */
  readonly reluKeepsInput: boolean;
  /** torch's softmax and log_softmax keep their input in addition to their result. */
  readonly softmaxKeepsInput: boolean;
  /** What is allocated are torch's blocks, with the rests of those that are not split; runs on fake tensors count tensors. */
  readonly countsRests: boolean;
  /**
   * Layers of encoders hand eager attention's weights on, which live to the end of the layer. Before, scores and weights
   * were names of the attention module's own forward.
   */
  readonly handsWeightsOn: boolean;
  /** Each layer is compiled (torch.compile). */
  readonly compiles: boolean;
  /** How FSDP holds and computes, where the framework and not the config says so; null: the config does. */
  readonly fsdp: OwnFsdp | null;
  /** Tensor parallelism cuts the tokens between products, and the vocabulary. */
  readonly sequenceParallel: boolean;
  /** Layers of a denoiser that get adapters where nothing is said; null: no one knows. */
  readonly denoiserTargets: readonly string[] | null;
  /** Tokens that the framework makes of a text that a denoiser is given; null: those of the pipeline in diffusers. */
  readonly textTokens: number | null;
  /** cuBLAS workspaces that torch's counters show: one for each thread that multiplies. */
  readonly workspaces: number;
}

/** MixedPrecisionPolicy as a framework sets it: shards in the dtype of the weights, gathered in that of the precision. */
export interface OwnFsdp {
  readonly version: 2;
  readonly reduce: 'fp32';
}

/** A cache of a size that is fixed from the beginning. */
export interface StaticCache {
  /** Tokens that there is room for: those that are generated, or all. */
  readonly room: 'all' | 'generated';
  /** What attention goes over: every place, or those that are filled. */
  readonly sees: 'room' | 'filled';
}

/** SimpleTuner, models/common.py, DEFAULT_LORA_TARGET; diffusers' examples train the same layers where they say nothing. */
export const DENOISER_TARGETS: readonly string[] = ['to_k', 'to_q', 'to_v', 'to_out.0'];

/** Classes of diffusers end so; those of transformers do not. */
const DENOISER = /(?:Transformer\dDModel|UNet2DConditionModel)$/;

/** Layers of a denoiser that get adapters where nothing is said; null: the model is no denoiser. */
export const denoiserTargets = (modelType: string): readonly string[] | null =>
  DENOISER.test(modelType) ? DENOISER_TARGETS : null;

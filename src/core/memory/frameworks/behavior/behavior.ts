/*
 * Differences between frameworks and releases that affect memory. Everything that the tape's builders ask about a
 * framework is decided in this folder, from tables with sources; never from the name of a model or of a source.
 */

/** How the loss is computed from hidden states. */
export type LossCode =
  | {
      readonly kind: 'cross-entropy';
      /**
       * `logits = logits.float()` frees the 16-bit logits only if the name is rebound in the model's own forward.
       */
      readonly upcast: 'in forward' | 'in the loss' | 'never';
      /** Labels are shifted with all logits, or both logits and labels are sliced and copied. */
      readonly shift: 'labels' | 'copies';
      readonly kernel: CrossEntropyKernel;
    }
  /** Logits of one part of the tokens at a time, with their gradients computed immediately (Liger). */
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
  /** Logits are never materialized: only their log-sum-exp is kept (cut cross entropy). */
  | { readonly kind: 'cut' }
  /** Log-probabilities of pairs: of the labels only, or from the log-softmax of all logits. */
  | {
      readonly kind: 'log-probabilities';
      readonly selective: boolean;
      /** Logits always become fp32, and stay for logging while the reference runs. */
      readonly keepsLogits?: true;
      /** Logits of both passes stay until the policy's entropies, from a copy of its logits, are logged. */
      readonly logsEntropies?: true;
    }
  /** Log-probabilities of generated tokens: from logits divided by a temperature, or from tiles of them. */
  | { readonly kind: 'policy'; readonly logits: 'tiles' | 'in place' | 'copies' }
  /** The divergence from a teacher's distribution (GKD). */
  | { readonly kind: 'distillation' };

/**
 * torch: log-softmax and its gradients, of all tokens, of a part at a time, or of a rank's part of the vocabulary;
 * in place: the gradient overwrites the logits, in backward or immediately; compiled: the gradient follows from the
 * logits and two numbers per row.
 */
export type CrossEntropyKernel =
  | 'torch'
  | 'torch, by column'
  | 'torch, in parts'
  | 'torch, by ranks'
  | 'in place backwards'
  | 'in place forwards'
  | 'compiled';

/** Fused kernels that replace the model's own code. */
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
  /** Each layer's cache is replaced by a longer one, or all caches by those of a new tuple at the end of a pass. */
  readonly cache: 'concatenated' | 'tuples';
  /** The cache begins with a copy of the prompt's keys and values instead of the originals. */
  readonly copiesPrompt: boolean;
  /** Caches of windowed layers keep only the window. */
  readonly slides: boolean;
  /** A pass's logits stay until the end of the next one. */
  readonly keepsOutputs: boolean;
  /** The prompt's logits: of its last token, or of all tokens. */
  readonly promptLogits: 'last' | 'all';
  /** Logits are copied to fp32 even without a loss. */
  readonly widensLogits: boolean;
}

export interface Behavior {
  /** The releases are stated; else they are assumed. */
  readonly releaseStated: boolean;
  /** The framework is one that there is a profile of; else it is taken for a script on transformers. */
  readonly frameworkKnown: boolean;
  readonly loss: LossCode;
  readonly kernels: Kernels;
  /** SDPA gets each key and value head once per query head, even if the kernel could share them. */
  readonly repeatsKeyHeads: boolean;
  /** SDPA gets contiguous copies of its inputs. */
  readonly copiesAttentionInputs: boolean;
  /** The family's code before a release that changed it: `former` in its architecture file. */
  readonly formerCode: boolean;
  /** Checkpointed layers return keys and values, which live to the end of the forward pass. */
  readonly returnsCheckpointedCache: boolean;
  /** PEFT's layer over a quantized base does not cast its input under autocast. */
  readonly adaptersTakeInputAsIs: boolean;
  readonly generation: GenerationCode;
  /** Adapters on a 16-bit base are kept in fp32; on a quantized base only; never. */
  readonly widensAdapters: 'always' | 'quantized' | 'never';
  /** The framework's own model code, which was read but not run. */
  readonly ownModelCode: boolean;
  /** GELU's tanh form is one kernel instead of seven operations. */
  readonly fusesGelu: boolean;
  /** Padded rows get a mask; litgpt relies on causality (finetune/lora.py pads on the right). */
  readonly masksPadding: boolean;
  /** Adapters on queries, keys or values are on the one layer that projects all three, if a family has one. */
  readonly fusesQueryKeyValue: boolean;
  /**
   * "All linear layers" selects by class; PEFT adds experts that used to be linear
   * (transformers_weight_conversion.py).
   */
  readonly namesLinearLayers: boolean;
  /** 16-bit outputs of a model under autocast are copied to fp32 (accelerate, convert_outputs_to_fp32). */
  readonly copiesOutputs: boolean;
  /** 4-bit linear layers keep their input although nothing needs it. */
  readonly keepsQuantizedInputs: boolean;
  /** A step's output has a name until the next step's replaces it, and with it its graph's nodes live on. */
  readonly keepsOutput: boolean;
  /** 4-bit weights are dequantized to fp16, and cast from there. */
  readonly unpacksToHalf: boolean;
  /** The head may share the embedding's weight if the config ties them. */
  readonly tiesHead: boolean;
  /** The head is quantized, too. */
  readonly quantizesHead: boolean;
  /** Each of several devices holds embedding and head, and a share of the layers. */
  readonly spreadsBlocks: boolean;
  /** GPTQ weights are unpacked by torch operations, whose product keeps the weight, or by a separate kernel. */
  readonly unpacksGptqInTorch: boolean;
  /**
   * Models are built from their config without a checkpoint: whatever the config ties is tied, nothing is kept in
   * fp32 next to fp16, and padded rows always get a mask. True for runs on fake tensors.
   */
  readonly madeOfConfig: boolean;
  /** Linear layers of classes derived from torch's are quantized, too (transformers uses isinstance). */
  readonly quantizesDerived: boolean;
  /** The default of checkpointing is reentrant (transformers 4: gradient_checkpointing_enable). */
  readonly reentrant: boolean;
  /** Frozen and trained parameters of a layer form one unit of FSDP 1 (torch, docs of use_orig_params). */
  readonly flattensFrozen: boolean;
  /** The allocator uses expandable segments (PYTORCH_ALLOC_CONF=expandable_segments:True). */
  readonly expandableSegments: boolean;
  /** Gradients are zeroed in place, and exist during the next step. */
  readonly keepsGradients: boolean;
  /** torch's relu keeps its input; also its result, if the next layer keeps it. */
  readonly reluKeepsInput: boolean;
  /** torch's softmax and log_softmax keep their input and their result. */
  readonly softmaxKeepsInput: boolean;
  /** Allocated memory counts torch's blocks, including unsplit rests; runs on fake tensors count tensors. */
  readonly countsRests: boolean;
  /**
   * Encoder layers return the weights of eager attention, which live to the end of the layer. Before, scores and
   * weights were names in the attention module's forward.
   */
  readonly handsWeightsOn: boolean;
  /** Each layer is compiled (torch.compile). */
  readonly compiles: boolean;
  /** FSDP settings that the framework decides, not the config; null: the config does. */
  readonly fsdp: OwnFsdp | null;
  /** Tensor parallelism also splits the tokens between products, and the vocabulary. */
  readonly sequenceParallel: boolean;
  /** A denoiser's default adapter targets; null: unknown. */
  readonly denoiserTargets: readonly string[] | null;
  /** The framework's number of text tokens for a denoiser; null: that of the diffusers pipeline. */
  readonly textTokens: number | null;
  /** cuBLAS workspaces in torch's counters: one per thread with matrix products. */
  readonly workspaces: number;
}

/** A framework's MixedPrecisionPolicy: shards in the dtype of the weights, gathered in that of the precision. */
interface OwnFsdp {
  readonly version: 2;
  readonly reduce: 'fp32';
}

/** A preallocated cache. */
export interface StaticCache {
  /** Room for tokens: the generated ones, or all. */
  readonly room: 'all' | 'generated';
  /** Attention covers all places, or the filled ones. */
  readonly sees: 'room' | 'filled';
}

/** SimpleTuner, models/common.py, DEFAULT_LORA_TARGET; the defaults of diffusers' examples are the same. */
export const DENOISER_TARGETS: readonly string[] = ['to_k', 'to_q', 'to_v', 'to_out.0'];

/** Suffixes of diffusers' class names, which transformers does not use. */
const DENOISER = /(?:Transformer\dDModel|UNet2DConditionModel)$/;

/** A denoiser's default adapter targets; null: the model is not a denoiser. */
export const denoiserTargets = (modelType: string): readonly string[] | null =>
  DENOISER.test(modelType) ? DENOISER_TARGETS : null;

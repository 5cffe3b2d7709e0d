import type { TrainedParts } from './trainedParts';

/** Element type of tensors held in memory. */
export type Dtype = 'fp32' | 'bf16' | 'fp16' | 'fp8' | 'int8';

/** What is trained. `freeze`: part of the base weights, no adapter. */
export type Method = 'full' | 'lora' | 'qlora' | 'freeze' | 'prompt';

/** Base weights in fewer bits. */
export interface Quantization {
  /** Null if only the checkpoint's own config states it. */
  readonly bits: 2 | 3 | 4 | 8 | null;
  readonly method: 'bnb' | 'gptq' | 'awq' | 'torchao' | 'sdnq' | 'other';
  readonly type: string | null;
  readonly doubleQuant: boolean | null;
  /** Weights of a column that share a scale (GPTQ), or the whole column; absent: 128, as in most checkpoints. */
  readonly groupSize?: number | 'column';
  readonly computeDtype: Dtype | null;
  readonly storageDtype: Dtype | null;
  /** Stacked expert matrices, which are not linear layers, are quantized, too. */
  readonly experts?: boolean;
}

export interface LoraSettings {
  readonly r: number | null;
  readonly alpha: number | null;
  readonly dropout: number | null;
  /**
   * Module names, `all-linear`, `unknown` if the program names them only when it runs, or null for the framework's
   * default for the architecture.
   */
  readonly targets: readonly string[] | 'all-linear' | 'unknown' | null;
  readonly modulesToSave: readonly string[];
  readonly rslora: boolean;
  readonly dora: boolean;
  /** Adapted parameters that are not linear layers (PEFT's `target_parameters`): stacked experts. */
  readonly targetParameters?: readonly string[];
  /** PEFT's `peft_type` in lower case if it is not LoRA; `r` is then its rank or its number of virtual tokens. */
  readonly method?: string;
  readonly factors?: KroneckerFactors;
}

/** The factors of LoKr for attention layers, and for MLPs if they differ. */
export interface KroneckerFactors {
  readonly attention: number;
  readonly mlp?: number;
}

export interface FsdpSettings {
  readonly version: 1 | 2 | null;
  readonly strategy: 'FULL_SHARD' | 'SHARD_GRAD_OP' | 'NO_SHARD' | 'HYBRID_SHARD' | null;
  readonly offloadParams: boolean | null;
  readonly activationCheckpointing: boolean | null;
}

type OffloadPlace = 'none' | 'cpu' | 'nvme';

export interface OffloadSettings {
  readonly param: OffloadPlace | null;
  readonly optimizer: OffloadPlace | null;
  readonly activations?: OffloadPlace;
}

/** How `from_pretrained` distributes a model over devices (`device_map`, `max_memory`). */
export interface DeviceMapSettings {
  readonly strategy: 'auto' | 'balanced' | 'balanced_low_0' | 'sequential';
  /** Byte limit of each device; null: the free memory of each. */
  readonly maxMemory: readonly { readonly device: number | 'cpu' | 'disk'; readonly bytes: number }[] | null;
}

/** Settings of llama.cpp (`-ngl`, `-ub`, `-fa`, `-ctk`, `-ctv` …); null: it decides itself. */
export interface GgmlSettings {
  /** The quantization mixture of the file: `Q4_K_M`; null: its name does not say. */
  readonly file: string | null;
  /** Layers on GPUs; the output counts as one. */
  readonly gpuLayers: number | null;
  readonly flashAttention: boolean | null;
  /** `F16`, `Q8_0` … */
  readonly keys: string;
  readonly values: string;
  /** Keys and values are on the device of their layers, not on the host. */
  readonly cacheOnGpu: boolean;
  /** Sliding windows are not used. */
  readonly wholeWindows: boolean;
  /** Sequences share the cells of the cache. */
  readonly unified: boolean;
  /** The context is each sequence's own, instead of all cells together. */
  readonly isPerSequence: boolean;
  /** Tokens that are handed over at once (`--batch-size`); a pass has no more. */
  readonly batch: number;
  /** Layers, from the first, whose experts stay on the host. */
  readonly expertsOnHost: number;
}

/** Degrees of parallelism; 1 means none. */
export interface ParallelSettings {
  readonly tensor: number;
  readonly context: number;
  readonly pipeline: number;
  readonly expert: number;
  readonly dataShard: number | null;
  readonly dataReplicate: number | null;
  /** Copies of attention among the tensor ranks, each with its own requests (SGLang's DP attention); absent: one. */
  readonly attentionCopies?: number;
}

/** Buffers of DeepSpeed's ZeRO, in elements; `auto`: DeepSpeed's caller derives it from the model. */
export interface ZeroBuffers {
  readonly reduceBucket: number | 'auto';
  readonly prefetchBucket: number | 'auto';
  /** In stage 3, parameters that are reused within this many elements stay gathered. */
  readonly reuseDistance: number;
  /** In stage 3, the number of elements that the optimizer updates at once. */
  readonly subGroup: number;
  /** Reduction overlaps with backward, using a second buffer; null: the default of the stage. */
  readonly overlapsComm: boolean | null;
}

/** The canonical quantities, named as in the JSON output. */
export interface QuantityValues {
  readonly model: string;
  readonly task: string;
  readonly method: Method;
  /** Samples per device and step (sequences; for `grpo` completions). */
  readonly microBatchSize: number;
  readonly gradAccum: number;
  readonly globalBatchSize: number;
  /** Samples per optimizer step over all devices. */
  readonly effectiveBatch: number;
  readonly seqLen: number;
  readonly packing: boolean;
  readonly imageSize: readonly [width: number, height: number];
  /** Compute precision of training: fp32, bf16, fp16, fp8; `-mixed` if the dialect itself says mixed. */
  readonly precision: string;
  /** The value as written in the file. */
  readonly precisionRaw: string;
  /** Dtype of the loaded weights, before any later upcast. */
  readonly loadDtype: Dtype;
  readonly quantization: Quantization;
  /** The framework's name for it. */
  readonly optimizer: string;
  readonly gradientCheckpointing: boolean;
  readonly attention: string;
  /** How the loss is computed from logits: see memory/frameworks/behavior. */
  readonly loss: string;
  readonly lora: LoraSettings;
  readonly zeroStage: 0 | 1 | 2 | 3;
  readonly fsdp: FsdpSettings;
  readonly offload: OffloadSettings;
  readonly parallel: ParallelSettings;
  /** Total number of GPUs. */
  readonly gpus: number;
  readonly nodes: number;
  /** GPUs per node. */
  readonly devices: number | 'auto';
  readonly accelerator: string;
  readonly strategy: string;
  readonly evalBatchSize: number;
  readonly numWorkers: number;
  readonly compile: boolean;
}

export type QuantityName = keyof QuantityValues;

/** What of a trainer is on the GPU: its weights, its gradients and optimizer states, both or neither. */
export type TrainerPart = 'all' | 'weights' | 'states' | 'nothing';

/** An engine that writes completions on the GPUs that train, as its framework starts it; null: the engine's default. */
export interface RolloutEngine {
  /** GPUs that share its copy of the model. */
  readonly tensor: number | null;
  readonly length: number | null;
  readonly sequences: number | null;
  readonly tokens: number | null;
  /** It has a process of its own, whose CUDA context stays while it sleeps. */
  readonly apart: boolean;
  /** 1: its weights wait on the host while it sleeps; 2: they are dropped. */
  readonly sleepLevel: number | null;
  /** What trained weights need on their way to it: a number of MiB, the largest tensor, or the whole model. */
  readonly carries: number | 'tensor' | 'model' | null;
  /** What of the trainer stays on the GPU while its weights go to the engine. */
  readonly whileSyncing: TrainerPart;
  /** What of the trainer stays on the GPU while the engine writes. */
  readonly whileWriting: TrainerPart;
}

/** Facts in addition to the canonical quantities that only the memory model and single rules need. */
export interface DetailValues {
  /** Rows of a batch differ in length and are padded: attention gets a mask. */
  readonly paddedRows: boolean;
  /** Rows are padded to the sequence length itself: every batch has the same shape. */
  readonly fixedLength: boolean;
  /** Nothing truncates rows: the longest sample of a batch decides its length. */
  readonly unlimitedLength: boolean;
  /** fp32 upcast of 16-bit tensors before k-bit training: all of them (PEFT), only norms (TRL, Axolotl), none. */
  readonly kbitPrepare: 'all' | 'norms' | 'none';
  readonly adapterDtype: Dtype;
  /** Trained base weights are cast to this dtype after loading (LLaMA-Factory, full fine-tuning). */
  readonly trainedDtype: Dtype;
  /** Weights keep the dtype of the checkpoint: `loadDtype` is then unresolved, and the model's facts have it. */
  readonly checkpointDtype: boolean;
  /** Forward runs under autocast in the compute precision (Hugging Face Trainer's bf16/fp16, Lightning's `-mixed`). */
  readonly autocast: boolean;
  /** Norms, embeddings and head are in fp32 next to 16-bit linears (Axolotl, full fine-tuning, SDPA or eager). */
  readonly fp32Embeddings: boolean;
  /** The optimizer steps during backward, parameter by parameter, and drops each gradient (torchtune, LOMO …). */
  readonly optimizerInBackward: boolean;
  /** A torch optimizer whose step is one kernel (`fused=True`). */
  readonly fusedOptimizer: boolean;
  readonly reentrantCheckpointing: boolean;
  /**
   * What of a layer is computed again: `operations`, attention only; `parts`, other parts of it, of which Headroom does not know
   * how much they save; or a number n: one of n layers is checkpointed.
   */
  readonly selectiveCheckpointing: 'operations' | 'parts' | number;
  /** Sequences the model encodes per sample of the micro batch: 2 for preference pairs, 2 + negatives for triplets. */
  readonly sequencesPerSample: number;
  /** Tensor-parallel ranks also share the tokens between the layers' matrix products. */
  readonly sequenceParallel: boolean;
  /** Ranks that share each expert's width, if different from the tensor-parallel ranks. */
  readonly expertTensorRanks: number;
  /** Parts of a pipeline's layers per rank (virtual stages). */
  readonly pipelineChunks: number;
  /** Micro-batches per step in a pipeline. */
  readonly microBatches: number;
  /** Megatron's data-parallel ranks shard the optimizer states. */
  readonly distributedOptimizer: boolean;
  /** Copies of the base model that are trained side by side (channels of a multi-encoder). */
  readonly encoders: number;
  /** A second, frozen copy of the model is on the device. */
  readonly referenceModel: boolean;
  /** The model's head, if the task does not decide it. */
  readonly head: Head;
  /** Keys and values are kept after the forward pass (inference). */
  readonly kvCache: boolean;
  /** Only the last tokens of a row get logits: this many (inference). */
  readonly logitsToKeep: number;
  /** Generated tokens of `seqLen`; the others are the prompt (inference). */
  readonly generatedTokens: number;
  /** Tokens of `seqLen` that the trained model generates, and whose log-probabilities the loss uses (GRPO). */
  readonly completionTokens: number;
  /** Rows that it generates at a time on one device. */
  readonly rolloutRows: number;
  /** Rows whose logits are kept during generation (TRL's PPO). */
  readonly scoredRows: number;
  /** Tokens of a target row, if `seqLen` is for source rows (encoder–decoders). */
  readonly targetTokens: number;
  /** Memory for the keys and values of all tokens is allocated at once instead of growing. */
  readonly staticCache: boolean;
  /** Dtype of keys and values, if not the compute dtype (inference). */
  readonly kvCacheDtype: Dtype;
  /** Share of a GPU's memory that a serving engine takes (`gpu-memory-utilization`, `mem-fraction-static`). */
  readonly memoryShare: number;
  /** An engine next to training takes its share only while it writes, and gives it back before training goes on. */
  readonly engineSleeps: boolean;
  readonly rolloutEngine: RolloutEngine;
  /** Sequences that a serving engine processes at a time. */
  readonly maxSequences: number;
  /** Tokens that a serving engine computes per pass. */
  readonly prefillTokens: number;
  /** A serving engine captures no CUDA graphs. */
  readonly enforceEager: boolean;
  /** What a serving engine holds next to the model, or moves to the host. */
  readonly servedExtras: ServedExtras;
  /** Most tokens of a serving engine's cache, if a key caps it. */
  readonly cacheTokens: number;
  /** Sequences may be longer than the model's positions: other positions, or a check that is off. */
  readonly overridesLength: boolean;
  /**
   * Fused kernels instead of the model's own code: `liger_rms_norm`, `lora_mlp` …: see memory/frameworks/behavior.
   */
  readonly kernels: readonly string[];
  readonly zeroBuffers: ZeroBuffers;
  /** Of every `stride` blocks, `width` are checkpointed. */
  readonly checkpointSegments: { readonly width: number; readonly stride: number };
  /** Frames of a video, before any autoencoder. */
  readonly frames: number;
  /** Seconds of audio in a row. */
  readonly audioSeconds: number;
  /** Tokens that evaluation generates per row, and its number of beams (predict_with_generate). */
  readonly evaluationWrites: { readonly tokens: number | null; readonly beams: number };
  /** How training compares embeddings. */
  readonly contrastive: ContrastiveSettings;
  /** Frozen parts of a composite model: the convolutions of a speech model, its encoder, a tower. */
  readonly frozenParts: readonly FrozenPart[];
  /** The most pixels of an image in a row (vision–language). */
  readonly picturePixels: number;
  /** Latents and text states are precomputed: a step needs neither autoencoder nor text encoder. */
  readonly precomputed: boolean;
  /** Text states alone are precomputed: a step needs no text encoder. */
  readonly textsPrecomputed: boolean;
  /** Each picture is denoised twice in one pass, with and without its prompt (`guidance_scale` above 1). */
  readonly guidance: boolean;
  /** Which parts of a pipeline wait on the host: all but the one that computes (`model`), or its layers too; `none`. */
  readonly partsOffloaded: string;
  /** Pictures are decoded one at a time, or in tiles. */
  readonly slicedDecoding: boolean;
  readonly tiledDecoding: boolean;
  /** A pass makes pictures of the size that the pipeline's model was made for. */
  readonly defaultSize: boolean;
  /** The part of a pipeline that the program replaces or adds; nothing is known about it. */
  readonly replacedParts: string;
  /** Training includes evaluation, in batches of `evalBatchSize`. */
  readonly evaluates: boolean;
  /** An exponential moving average of all weights is kept on the device. */
  readonly averagedWeights: boolean;
  /** Other models on the same device that are not trained: a teacher, a reward model. */
  readonly otherModels: readonly OtherModel[];
  /** PPO's values come from a separate model that is trained, too; else from a head on the policy. */
  readonly valueModel: boolean;
  /** What is trained if parts of the base are frozen (method `freeze`). */
  readonly trainedParts: TrainedParts;
  /** Layers are distributed over devices in sequence. */
  readonly deviceMap: DeviceMapSettings;
  readonly ggml: GgmlSettings;
  /** Training resumes from a checkpoint. */
  readonly resumes: boolean;
  /** The allocator uses expandable segments (`PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True` around the run). */
  readonly expandableSegments: boolean;
  /** Optimizer steps at most; not positive: no limit. */
  readonly maxSteps: number;
  /** Passes over the data. */
  readonly epochs: number;
  /** Adapters are merged into the weights, on this device. */
  readonly merges: 'gpu' | 'cpu';
}

/** How rows are compared with one another (contrastive training of embeddings). */
export interface ContrastiveSettings {
  /** Texts that each query is compared with in its own row: positives and negatives; null: no key states them. */
  readonly passages: number | null;
  /** Tokens of a query and of a passage, if `seqLen` is not both. */
  readonly queryTokens: number | null;
  readonly passageTokens: number | null;
  /**
   * Rows that are encoded at a time, with a graph only once their gradient is known (GradCache); null: all at once.
   */
  readonly cachedRows: number | null;
  /** Embeddings of all ranks are compared. */
  readonly gathers: boolean;
}

/** A part with a separate key that freezes it. */
export type FrozenPart = 'convolutions' | 'encoder' | 'vision tower' | 'projector' | 'text tower';

/** A model other than the trained one. */
export interface OtherModel {
  readonly role: 'teacher' | 'reward';
  /** Null: the same size as the trained model. */
  readonly model: string | null;
}

/**
 * Next-token logits, hidden states, logits of masked positions, of the whole row, of every token, of an image, of a
 * target; noise; logits of every frame.
 */
export type Head =
  | 'causal-lm'
  | 'base'
  | 'masked-lm'
  | 'sequence-classification'
  | 'token-classification'
  | 'image-classification'
  | 'detector'
  | 'segmenter'
  | 'seq2seq'
  | 'denoiser'
  | 'ctc';

export type DetailName = keyof DetailValues;

/** What a serving engine holds next to the model, or moves to the host. */
export interface ServedExtras {
  /** Room for adapters that are served at once, at the largest rank; null: none are served. */
  readonly adapters: { readonly slots: number; readonly rank: number; readonly isSharded: boolean } | null;
  /** What proposes tokens for the model to check; null: nothing does. */
  readonly drafter: ServedDrafter | null;
  /** Weights that stay on the host, in GiB per GPU. */
  readonly offloadGiB: number;
  /** Layers with a window keep as many keys and values as all others. */
  readonly ignoresWindows?: true;
  /** Bits of a key's or value's element, where no dtype is as small; absent: those of the cache's dtype. */
  readonly cacheBits?: number;
}

/** Speculative decoding. */
export interface ServedDrafter {
  /** A model of its own, layers on the served model's states (EAGLE, MTP), or others (Medusa). */
  readonly kind: 'model' | 'eagle' | 'eagle3' | 'mtp' | 'other';
  /** The name of its weights; null: those of the served model. */
  readonly model: string | null;
  /** Ranks that share it; null: those of the served model. */
  readonly tensorRanks: number | null;
}

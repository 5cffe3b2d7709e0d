import type { TrainedParts } from './trainedParts';

/** Element type of tensors held in memory. */
export type Dtype = 'fp32' | 'bf16' | 'fp16' | 'fp8' | 'int8';

/** What is trained. `freeze`: part of the base weights, no adapter. */
export type Method = 'full' | 'lora' | 'qlora' | 'freeze' | 'prompt';

/** Base weights held in fewer bits. */
export interface Quantization {
  /** Null when only the checkpoint's own config says it. */
  readonly bits: 2 | 3 | 4 | 8 | null;
  readonly method: 'bnb' | 'gptq' | 'awq' | 'torchao' | 'sdnq' | 'other';
  readonly type: string | null;
  readonly doubleQuant: boolean | null;
  /** Weights of a column that share a scale (GPTQ), or the whole column; absent: 128, as most checkpoints have. */
  readonly groupSize?: number | 'column';
  readonly computeDtype: Dtype | null;
  readonly storageDtype: Dtype | null;
  /** Stacked matrices of experts, which are no linear layers, are quantised, too. */
  readonly experts?: boolean;
}

export interface LoraSettings {
  readonly r: number | null;
  readonly alpha: number | null;
  readonly dropout: number | null;
  /** Module names, `all-linear`, or null when the framework's default for the architecture applies. */
  readonly targets: readonly string[] | 'all-linear' | null;
  readonly modulesToSave: readonly string[];
  readonly rslora: boolean;
  readonly dora: boolean;
  /** Parameters that are no linear layers' and get adapters (PEFT's `target_parameters`): stacked experts. */
  readonly targetParameters?: readonly string[];
  /** PEFT's `peft_type` in small letters where it is another method than LoRA; `r` is then its rank or its virtual tokens. */
  readonly method?: string;
  readonly factors?: KroneckerFactors;
}

/** The factors of LoKr: of attention's layers, and of those of MLPs where they have one of their own. */
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

export type OffloadPlace = 'none' | 'cpu' | 'nvme';

export interface OffloadSettings {
  readonly param: OffloadPlace | null;
  readonly optimizer: OffloadPlace | null;
  readonly activations?: OffloadPlace;
}

/** How `from_pretrained` is told to spread a model over devices (`device_map`, `max_memory`). */
export interface DeviceMapSettings {
  readonly strategy: 'auto' | 'balanced' | 'balanced_low_0' | 'sequential';
  /** Bytes that each device may be filled to; null: what is free on each. */
  readonly maxMemory: readonly { readonly device: number | 'cpu' | 'disk'; readonly bytes: number }[] | null;
}

/** What llama.cpp is told (`-ngl`, `-ub`, `-fa`, `-ctk`, `-ctv` …); null: it decides itself. */
export interface GgmlSettings {
  /** How the file's weights are held: `Q4_K_M`; null: its name does not say. */
  readonly file: string | null;
  /** Layers on GPUs, the output counted as one. */
  readonly gpuLayers: number | null;
  readonly flashAttention: boolean | null;
  /** `F16`, `Q8_0` … */
  readonly keys: string;
  readonly values: string;
  /** Keys and values lie where their layers do, not on the host. */
  readonly cacheOnGpu: boolean;
  /** Windows are not made use of. */
  readonly wholeWindows: boolean;
}

/** Degrees of parallelism; 1 means none. */
export interface ParallelSettings {
  readonly tensor: number;
  readonly context: number;
  readonly pipeline: number;
  readonly expert: number;
  readonly dataShard: number | null;
  readonly dataReplicate: number | null;
}

/** Buffers of DeepSpeed's ZeRO, in elements; `auto`: the caller of DeepSpeed derives it from the model. */
export interface ZeroBuffers {
  readonly reduceBucket: number | 'auto';
  readonly prefetchBucket: number | 'auto';
  /** Parameters used again within so many elements stay gathered, in stage 3. */
  readonly reuseDistance: number;
  /** What the optimizer steps over at once, in stage 3. */
  readonly subGroup: number;
  /** Reduction overlaps with backward, from a second buffer; null: as the stage has it. */
  readonly overlapsComm: boolean | null;
}

/** The canonical quantities, named as the JSON output names them. */
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
  /** Compute precision of training: fp32, bf16, fp16, fp8; `-mixed` where the dialect itself says mixed. */
  readonly precision: string;
  /** The words of the file. */
  readonly precisionRaw: string;
  /** Dtype in which the weights are held for training, before any later upcast. */
  readonly loadDtype: Dtype;
  readonly quantization: Quantization;
  /** As the framework names it. */
  readonly optimizer: string;
  readonly gradientCheckpointing: boolean;
  readonly attention: string;
  /** How logits become the loss: see memory/frameworks/behavior. */
  readonly loss: string;
  readonly lora: LoraSettings;
  readonly zeroStage: 0 | 1 | 2 | 3;
  readonly fsdp: FsdpSettings;
  readonly offload: OffloadSettings;
  readonly parallel: ParallelSettings;
  /** GPUs in all. */
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

/** Facts in addition to the canonical quantities that only the memory model and single rules ask for. */
export interface DetailValues {
  /** Rows of one batch differ in length and are padded: attention gets a mask. */
  readonly paddedRows: boolean;
  /** Rows are padded to the sequence length itself: every batch has the same shape. */
  readonly fixedLength: boolean;
  /** Nothing cuts rows: the longest sample of a batch is how long they are. */
  readonly unlimitedLength: boolean;
  /** fp32 upcast of 16-bit tensors before k-bit training: all of them (PEFT), only norms (TRL, Axolotl), none. */
  readonly kbitPrepare: 'all' | 'norms' | 'none';
  readonly adapterDtype: Dtype;
  /** Weights that are trained themselves are cast to this once they are loaded (LLaMA-Factory, full fine-tuning). */
  readonly trainedDtype: Dtype;
  /** Weights are held in the dtype of the checkpoint: then `loadDtype` is unresolved, and the model's facts say it. */
  readonly checkpointDtype: boolean;
  /** Forward runs under autocast in the compute precision (Hugging Face Trainer's bf16/fp16, Lightning's `-mixed`). */
  readonly autocast: boolean;
  /** Norms, embeddings and head are held in fp32 in addition to 16-bit linears (Axolotl, full fine-tuning, SDPA or eager). */
  readonly fp32Embeddings: boolean;
  /** The optimizer steps while backward runs, parameter by parameter, and drops each gradient (torchtune, LOMO …). */
  readonly optimizerInBackward: boolean;
  /** A torch optimizer whose step is one kernel (`fused=True`). */
  readonly fusedOptimizer: boolean;
  readonly reentrantCheckpointing: boolean;
  /** Checkpointed layers keep what is costly to compute again; or one of so many layers is checkpointed at all. */
  readonly selectiveCheckpointing: 'operations' | number;
  /** Sequences the model encodes per sample of the micro batch: 2 for preference pairs, 2 + negatives for triplets. */
  readonly sequencesPerSample: number;
  /** Ranks that share heads share the tokens between the layers' products, too. */
  readonly sequenceParallel: boolean;
  /** Ranks that share each expert's width, where not those that share heads. */
  readonly expertTensorRanks: number;
  /** Parts of a pipeline's layers that each rank has, one after the other (virtual stages). */
  readonly pipelineChunks: number;
  /** Micro-batches of a step in a pipeline. */
  readonly microBatches: number;
  /** Megatron's ranks of one model share the optimizer's states, each a part of them. */
  readonly distributedOptimizer: boolean;
  /** Copies of the base model that are trained side by side (channels of a multi-encoder). */
  readonly encoders: number;
  /** A second, frozen copy of the model is on the device. */
  readonly referenceModel: boolean;
  /** What the model ends in, where the task does not say it. */
  readonly head: Head;
  /** Keys and values stay after the forward pass (inference). */
  readonly kvCache: boolean;
  /** Logits are computed for this many last tokens of a row only (inference). */
  readonly logitsToKeep: number;
  /** Tokens of `seqLen` that are generated; the others are the prompt (inference). */
  readonly generatedTokens: number;
  /** Tokens of `seqLen` that the trained model has written itself, and whose log-probabilities the loss takes (GRPO). */
  readonly completionTokens: number;
  /** Rows that it writes at a time on one device. */
  readonly rolloutRows: number;
  /** Rows whose logits are kept while they are written (TRL's PPO). */
  readonly scoredRows: number;
  /** Tokens of a row of targets, where `seqLen` is that of the sources (encoder–decoders). */
  readonly targetTokens: number;
  /** Memory for the keys and values of all tokens is taken at once, instead of growing. */
  readonly staticCache: boolean;
  /** What keys and values are kept in, where not in the compute dtype (inference). */
  readonly kvCacheDtype: Dtype;
  /** Share of a GPU's memory that a serving engine takes (`gpu-memory-utilization`, `mem-fraction-static`). */
  readonly memoryShare: number;
  /** Sequences that a serving engine works on at a time. */
  readonly maxSequences: number;
  /** Tokens that a serving engine computes in one pass. */
  readonly prefillTokens: number;
  /** Fused kernels in place of the model's own code: `liger_rms_norm`, `lora_mlp` …: see memory/frameworks/behavior. */
  readonly kernels: readonly string[];
  readonly zeroBuffers: ZeroBuffers;
  /** Of every `stride` blocks `width` are checkpointed. */
  readonly checkpointSegments: { readonly width: number; readonly stride: number };
  /** Frames of a video, before any autoencoder. */
  readonly frames: number;
  /** Seconds of audio in a row. */
  readonly audioSeconds: number;
  /** Tokens that evaluation generates for each row, and how many of a row side by side (predict_with_generate). */
  readonly evaluationWrites: { readonly tokens: number | null; readonly beams: number };
  /** How embeddings are compared in training. */
  readonly contrastive: ContrastiveSettings;
  /** Parts of a model of several that are frozen: the convolutions of one that hears, its encoder, a tower. */
  readonly frozenParts: readonly FrozenPart[];
  /** Pixels of an image in a row, at most (vision–language). */
  readonly picturePixels: number;
  /** Latents and states of the text are computed beforehand: a step needs neither autoencoder nor text encoder. */
  readonly precomputed: boolean;
  /** Training is interrupted for evaluation, in batches of `evalBatchSize`. */
  readonly evaluates: boolean;
  /** A smoothed copy of all weights (an exponential moving average) is kept on the device. */
  readonly averagedWeights: boolean;
  /** Other models on the same device, which are not trained: a teacher, a reward. */
  readonly otherModels: readonly OtherModel[];
  /** PPO's values come of its own model, which is trained, too; else of a head on the policy. */
  readonly valueModel: boolean;
  /** What is trained where parts of the base are frozen (method `freeze`). */
  readonly trainedParts: TrainedParts;
  /** Layers are spread over devices one after the other. */
  readonly deviceMap: DeviceMapSettings;
  readonly ggml: GgmlSettings;
  /** Training goes on from a checkpoint. */
  readonly resumes: boolean;
  /** The allocator's segments grow (`PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True` around the run). */
  readonly expandableSegments: boolean;
  /** Adapters are merged into the weights, and where that happens. */
  readonly merges: 'gpu' | 'cpu';
}

/** Rows that are compared with one another, and how (contrastive training of embeddings). */
export interface ContrastiveSettings {
  /** Texts that each query is compared with in its own row: positives and negatives. */
  readonly passages: number;
  /** Tokens of a query, and of a passage, where `seqLen` is not both. */
  readonly queryTokens: number | null;
  readonly passageTokens: number | null;
  /** Rows that are encoded at a time, with a graph only when their gradient is known (GradCache); null: all at once. */
  readonly cachedRows: number | null;
  /** Embeddings of all ranks are compared. */
  readonly gathers: boolean;
}

/** A part that its own key freezes. */
export type FrozenPart = 'convolutions' | 'encoder' | 'vision tower' | 'projector' | 'text tower';

/** A model in addition to the trained one. */
export interface OtherModel {
  readonly role: 'teacher' | 'reward';
  /** Null: of the trained one's size. */
  readonly model: string | null;
}

/** Next-token logits, hidden states, logits of masked positions, of the whole row, of every token, of an image, of a target; noise; logits of every frame. */
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

import type { DecoderSizes, ModelFacts } from '../models/model';
import type { Maybe } from '../spec/maybe';
import type { FrozenPart, Head, RolloutEngine } from '../spec/values';
import type { LoraPlan } from './adapterMethod';
import type { Behavior, StaticCache } from './frameworks/behavior/behavior';
import type { Serving } from './engine';
import type { Optimizer } from './optimizer';
import type { Placement } from './placement/module';
import type { Sharding } from './sharding';
import type { Element } from './tensor';
import type { NamedParts } from './frozen/names';

/** Of every `stride` blocks the first `width` are checkpointed, together or individually; the others are not. */
export interface Segments {
  readonly width: number;
  readonly stride: number;
  readonly apart?: boolean;
}

/** The format of quantized base weights. */
export type QuantizedWeights = 'nf4' | 'nf4-dq' | 'int8' | ServedWeights | DynamicWeights | GroupedWeights;

/** Formats of checkpoints with their own products, whose inputs are quantized for each; nothing is trained on them here. */
export type ServedWeights = 'fp8' | 'w8a8' | 'eetq' | 'nvfp4' | 'mxfp4';

/** 8-bit weights with their own products: SDNQ's integers, torchao's fp8 with fp8 inputs, or weights only. */
export type DynamicWeights = 'sdnq-int8' | 'torchao-fp8' | 'torchao-fp8-weight-only';

/** Integers by bits and by the number that shares a scale and a zero point. */
export type GroupedWeights = `${'gptq' | 'awq'}-${number}-${number}`;

/** One image, in elements. */
export interface ImageShape {
  readonly channels: number;
  readonly height: number;
  readonly width: number;
  /** Frames of a video, as the network sees them; default: one. */
  readonly frames?: number;
}

/** Texts that a step compares with one another. */
export interface Contrast {
  readonly queries: number;
  /** Passages that each query is compared with: those of the batch, or of all ranks. */
  readonly passages: number;
  /** Embeddings are computed first, and encoded again in parts; `scored`: queries that are compared at a time. */
  readonly cached: { readonly sentences: number; readonly scored: number } | null;
}

/** An audio row, in elements: a spectrogram or a waveform. */
interface AudioShape {
  readonly values: number;
}

/** Another frozen network on the device: a text encoder, an autoencoder, a teacher. */
export interface OtherNetwork {
  readonly name: string;
  readonly dtype: Element;
  readonly parameters: number;
  readonly bytes: number;
  /** The images that it encodes at the start of each step. */
  readonly encodes: Maybe<{ readonly shape: EncoderShape; readonly pixels: ImageShape }>;
}

/** The parts of a diffusers pipeline besides its denoiser, and how they take turns on the device. */
export interface PipelineRun {
  /** Bytes of the parts that compute before the denoiser: all of them, or the largest if each waits on the host. */
  readonly encoderBytes: number;
  readonly autoencoderBytes: number;
  /** Only the part that computes is on the device. */
  readonly isOffloaded: boolean;
  /** Latents of one pass of the decoder. */
  readonly latents: LatentMaps;
  readonly decoder: DecoderSizes;
  readonly decodesIn: Element;
  /** It decodes the pictures one after the other. */
  readonly isSliced: boolean;
  /** What the decoder's weights take more in that dtype. */
  readonly widenedBytes: number;
}

/** The latents of a batch. */
interface LatentMaps {
  readonly batch: number;
  readonly channels: number;
  readonly height: number;
  readonly width: number;
}

/** A rank's part of a pipeline. */
export interface Stage {
  readonly place: 'first' | 'last';
  /** Number of ranks. */
  readonly of: number;
  /** Layers whose activations are kept at the same time: those of all micro-batches in flight. */
  readonly alive: number;
  /** Consecutive parts of a step's rows. */
  readonly microBatches: number;
  /** Parts of the model on each rank that take turns (interleaved schedules). */
  readonly chunks: number;
}

/** Rows of one forward pass on one device, and their content. */
export interface Batch {
  readonly rows: number;
  /** Tokens per row. */
  readonly tokens: number;
  /** Tokens of a target row (encoder–decoders); 0: none. */
  readonly targets: number;
  readonly padded: boolean;
  /** Batches differ in length, so that freed blocks of one do not fit the next. */
  readonly uneven?: boolean;
  /** Rows of texts are at most as long as the config says: nothing says that they are packed or filled to that. */
  readonly atMost?: boolean;
  /** For image rows: then `tokens` is 1, and the architecture knows the number of tokens per image. */
  readonly image: ImageShape | null;
  /** An audio row; null: rows are not audio. */
  readonly audio: AudioShape | null;
  /** The embeddings that each embedding is compared with. */
  readonly contrast: Maybe<Contrast>;
  /** Pixels of the image in each row (vision–language). */
  readonly picturePixels: Maybe<number>;
}

/** Dtypes of weights and products. */
export interface Numbers {
  readonly weightDtype: Element;
  /** The dtype of torch.autocast; null: no autocast. */
  readonly autocast: Element | null;
  readonly quantization: QuantizedWeights | null;
  /** Stacked expert matrices are quantized, too; default: not. */
  readonly quantizesExperts?: boolean;
  /** 16-bit weights that are upcast to fp32: all, all but linear layers, vectors, none. */
  readonly upcast: 'all' | 'outer' | 'norms' | 'none';
  /** Products are computed in fp8, and their inputs are kept in fp8 (Transformer Engine). */
  readonly inFp8?: boolean;
}

/** What is trained, how, and the additional memory for it. */
export interface Training {
  readonly lora: LoraPlan | null;
  /** The trained part of the base; null: all of it, or only adapters. */
  readonly partly: PartlyTrained | null;
  /** Frozen parts; default: none. */
  readonly frozenParts?: readonly FrozenPart[];
  /** Nothing is trained. */
  readonly frozen: boolean;
  /** The reference for log-probabilities: none, the model without its adapters, or a frozen copy. */
  readonly reference: 'none' | 'itself' | 'copy';
  /** A second copy of the model with a score per token is trained (PPO's value model); default: none. */
  readonly values?: 'none' | 'model';
  /** An exponential moving average of all weights is kept (EMA). */
  readonly averaged?: boolean;
  readonly optimizer: Optimizer | null;
  readonly gradAccum: number;
  /** Training resumes from a checkpoint; default: not. */
  readonly resumes?: boolean;
  /** Where adapters are merged into the weights; null: not merged. */
  readonly merges: 'gpu' | 'cpu' | null;
}

/** What backward recomputes instead of keeping it. */
export interface Recompute {
  readonly checkpointing: 'none' | 'reentrant' | 'non-reentrant' | 'selective' | 'offloaded';
  /** One of this many layers is checkpointed; default: all. */
  readonly checkpointEvery?: number;
  /** Blocks that are checkpointed together, out of a repeating number; null: each individually. */
  readonly segments: Segments | null;
  /** Embedding outputs require a gradient (`enable_input_require_grads`). */
  readonly inputGradients: boolean;
}

/** The attention implementation. */
export interface Kernels {
  readonly attention: 'eager' | 'sdpa' | 'flash';
  /** The device has FlashAttention, which SDPA may choose. */
  readonly hasFlash: boolean;
}

/** What is shared among ranks. */
export interface Ranks {
  /** Replicas of the model (DDP). */
  readonly replicas: number;
  /** This rank's stage of a pipeline, whose layers `model` has; absent: no pipeline. */
  readonly stage?: Stage;
  /** Ranks that share the tokens between the layers' products, next to tensor parallelism; absent: none. */
  readonly sequence?: number;
  /** Ranks that share heads, inner widths and the vocabulary; default: one. */
  readonly tensor?: number;
  /** Ranks that share each expert; default: one. */
  readonly expertTensor?: number;
  /** Experts that a router chooses from, of which this rank has `model.experts`; default: these. */
  readonly routedExperts?: number;
  /** Ranks that each have a part of every row; 1: rows are whole. */
  readonly context: number;
  /** How ranks shard what each would hold in full; null: no sharding. */
  readonly sharding: Sharding | null;
}

/** The devices that one model is distributed over (inference). */
export interface Devices {
  /** Number of devices for layers, or for slices of every layer. */
  readonly spread: number;
  /** Placement of a device map; null: one device has all layers, or they are distributed evenly. */
  readonly placement: Placement | null;
}

/** The generated tokens, the generator, and its cache. */
export interface Generation {
  /** The engine that serves the model; null: the model's own code generates. */
  readonly serving: Serving | null;
  readonly useCache: boolean;
  /** Tokens per row in the cache before this forward pass. */
  readonly seen: number;
  /** Tokens generated after a prompt of `batch.tokens`. */
  readonly generated: number;
  /** The layout of a preallocated cache; null: it grows. */
  readonly staticCache: StaticCache | null;
  /** Dtype of keys and values; null: the computed dtype. */
  readonly cacheDtype: Element | null;
  /** Number of last tokens with logits; null: all tokens. */
  readonly logitsToKeep: number | null;
  /** The generator of the training completions; null: none are generated. */
  readonly rollout: Rollout | null;
}

/** Work between training steps. */
export interface Evaluation {
  /** Rows of an evaluation batch between training steps. */
  readonly evaluated: Maybe<number>;
  /** Tokens that an evaluation batch generates, and its beams; null: it does not generate. */
  readonly writes: { readonly tokens: number; readonly beams: number } | null;
  /** The picture that a denoiser's training makes to look at; absent: none. */
  readonly picture?: ValidationPicture;
}

/** A picture made between two steps, from the model as it is. */
export interface ValidationPicture {
  readonly pipeline: PipelineRun;
  /** Rows of one pass of the denoiser: with guidance also one without the prompt. */
  readonly rows: number;
  readonly image: ImageShape;
}

/** The generator of completions that a model is trained on. */
export type Rollout = EngineRollout | OwnRollout;

/** An engine generates them (vLLM). */
export interface EngineRollout {
  readonly by: 'engine';
  /** The share of this GPU that the engine holds; 0 if it has separate GPUs, or if the config does not say. */
  readonly share: number;
  /** It holds its share only while it writes, and sleeps while training goes on. */
  readonly sleeps: boolean;
  /** Null: how the framework starts it is not known. */
  readonly settings: RolloutEngine | null;
}

/** The model itself generates them. */
export interface OwnRollout {
  readonly by: 'model';
  /** Completions that it generates at a time. */
  readonly rows: number;
  /**
   * Tokens whose upcast logits are kept until their log-probabilities are computed (trl, ppo_trainer.py,
   * batch_generation).
   */
  readonly scores: number;
}

/**
 * One run on one device with all settings resolved: the input of the tape. Each group is built by a file of
 * `setup`.
 */
export interface MemoryRun {
  readonly model: ModelFacts;
  readonly head: Head;
  /** Models of this kind that are trained side by side, each on its own rows. */
  readonly encoders: number;
  readonly task: 'train' | 'infer' | 'load';
  /** No file supports the model's type: the nearest structure is used instead. */
  readonly isNearest?: true;
  readonly behavior: Behavior;
  readonly batch: Batch;
  readonly numbers: Numbers;
  readonly training: Training;
  readonly recompute: Recompute;
  readonly kernels: Kernels;
  readonly ranks: Ranks;
  readonly devices: Devices;
  readonly generation: Generation;
  readonly evaluation: Evaluation;
  /** Text encoders and autoencoders of a diffusion pipeline, teachers, reward models. */
  readonly otherModels?: readonly OtherNetwork[];
  /** Parts of a pipeline that makes pictures; absent: the run is another one. */
  readonly pipeline?: PipelineRun;
}

/** The dtype in which layers compute. */
export const computeDtype = ({ numbers }: Pick<MemoryRun, 'numbers'>): Element =>
  numbers.autocast ?? numbers.weightDtype;

/** True if a training step's forward pass keeps keys and values although its layers are checkpointed. */
export function returnsCache({ task, recompute, behavior }: MemoryRun): boolean {
  return task === 'train' && recompute.checkpointing !== 'none' && behavior.returnsCheckpointedCache;
}
/** Dtypes of weights and of compute, and quantization, before the run's code casts them. */
export type Dtypes = Omit<Numbers, 'upcast' | 'inFp8'>;
/** The trained part of a base with frozen parts. */
export interface PartlyTrained {
  readonly parts: NamedParts;
  /** The dtype of trained parts; null: the same as the rest. */
  readonly dtype: Element | null;
  /** Only layers with trained parts are checkpointed, and their inputs require a gradient. */
  readonly checkpointsTrained: boolean;
}
/** Sizes of an autoencoder's image encoder, named as in its config. */
export interface EncoderShape {
  /** Channels per level (`block_out_channels`). */
  readonly widths: readonly number[];
  /** `layers_per_block` */
  readonly layers: number;
  /** Output channels. */
  readonly latents: number;
}

import type { ModelFacts } from '../models/model';
import type { Maybe } from '../spec/maybe';
import type { FrozenPart, Head } from '../spec/values';
import type { LoraPlan } from './adapterMethod';
import type { Behavior, StaticCache } from './frameworks/behavior/behavior';
import type { Serving } from './engine';
import type { PartlyTrained } from './frozen/freezing';
import type { Optimizer } from './optimizer';
import type { Placement } from './placement/module';
import type { Sharding } from './sharding';
import type { EncoderShape } from './blocks/autoencoder/encoder';
import type { Element } from './tensor';

/** Of every `stride` blocks the first `width` are checkpointed, together or each by itself, and the others are not. */
export interface Segments {
  readonly width: number;
  readonly stride: number;
  readonly apart?: boolean;
}

/** How base weights are held in fewer bits. */
export type QuantizedWeights = 'nf4' | 'nf4-dq' | 'int8' | ServedWeights | DynamicWeights | GroupedWeights;

/** Formats of checkpoints with their own products, whose inputs are quantized for each; nothing is trained on them here. */
export type ServedWeights = 'fp8' | 'w8a8' | 'nvfp4' | 'mxfp4';

/** Of 8 bits, with their own products: SDNQ's integers, torchao's fp8 with inputs in fp8, too, or weights alone. */
export type DynamicWeights = 'sdnq-int8' | 'torchao-fp8' | 'torchao-fp8-weight-only';

/** Integers of so many bits, of which so many share a scale and a zero point. */
export type GroupedWeights = `${'gptq' | 'awq'}-${number}-${number}`;

/** What one image is, in elements. */
export interface ImageShape {
  readonly channels: number;
  readonly height: number;
  readonly width: number;
  /** Of a video, as the network has them; one where nothing is said. */
  readonly frames?: number;
}

/** Texts that are compared with one another in a step. */
export interface Contrast {
  readonly queries: number;
  /** Passages that each query is compared with: those of the batch, or of all ranks. */
  readonly passages: number;
  /** Embeddings are made first, and encoded again part by part; `scored`: queries that are compared at a time. */
  readonly cached: { readonly sentences: number; readonly scored: number } | null;
}

/** What a row of audio is, in elements: a spectrogram's or a waveform's. */
export interface AudioShape {
  readonly values: number;
}

/** Another network on the device that is not trained: a text encoder, an autoencoder, a teacher. */
export interface OtherNetwork {
  readonly name: string;
  readonly dtype: Element;
  readonly parameters: number;
  readonly bytes: number;
  /** The images that it encodes at the beginning of each step. */
  readonly encodes: Maybe<{ readonly shape: EncoderShape; readonly pixels: ImageShape }>;
}

/** A rank's part of a pipeline. */
export interface Stage {
  readonly place: 'first' | 'last';
  /** How many ranks there are. */
  readonly of: number;
  /** Layers whose activations are kept at once: those of all micro-batches that are under way. */
  readonly alive: number;
}

/** Rows of one forward pass on one device, and what each of them is. */
export interface Batch {
  readonly rows: number;
  /** Tokens of each row. */
  readonly tokens: number;
  /** Tokens of a row of targets (encoder–decoders); 0 where there are none. */
  readonly targets: number;
  readonly padded: boolean;
  /** Batches differ in length, so that what one has left free does not fit the next. */
  readonly uneven?: boolean;
  /** Rows of texts are at most as long as the config says: nothing says that they are packed or filled to that. */
  readonly atMost?: boolean;
  /** Where rows are images, not tokens: then `tokens` is 1, and the architecture knows how many it makes of one. */
  readonly image: ImageShape | null;
  /** A row of audio; null: rows are not audio. */
  readonly audio: AudioShape | null;
  /** The embeddings that each embedding is compared with. */
  readonly contrast: Maybe<Contrast>;
  /** Pixels of the image in each row (vision–language). */
  readonly picturePixels: Maybe<number>;
}

/** What weights are held in, and what products are computed in. */
export interface Numbers {
  readonly weightDtype: Element;
  /** The dtype of torch.autocast; null without. */
  readonly autocast: Element | null;
  readonly quantization: QuantizedWeights | null;
  /** Stacked matrices of experts are quantized, too; not said: they are not. */
  readonly quantizesExperts?: boolean;
  /** 16-bit weights that are widened to fp32: all, all but linear layers, vectors, none. */
  readonly upcast: 'all' | 'outer' | 'norms' | 'none';
  /** Products are computed in fp8, and their inputs kept in it (Transformer Engine). */
  readonly inFp8?: boolean;
}

/** What is trained, how, and what is held for it in addition to the model. */
export interface Training {
  readonly lora: LoraPlan | null;
  /** The part of the base that is trained; null: all of it, or nothing in addition to adapters. */
  readonly partly: PartlyTrained | null;
  /** Parts that are not trained; not said: none. */
  readonly frozenParts?: readonly FrozenPart[];
  /** Nothing is trained. */
  readonly frozen: boolean;
  /** The model that log-probabilities are compared with: none, the model without its adapters, or a frozen copy. */
  readonly reference: 'none' | 'itself' | 'copy';
  /** A second copy of the model with a score per token is trained (PPO's value model); not said: none. */
  readonly values?: 'none' | 'model';
  /** A smoothed copy of all weights is kept (EMA). */
  readonly averaged?: boolean;
  readonly optimizer: Optimizer | null;
  readonly gradAccum: number;
  /** Training goes on from a checkpoint; not said: it does not. */
  readonly resumes?: boolean;
  /** Where adapters are merged into the weights; null: nowhere. */
  readonly merges: 'gpu' | 'cpu' | null;
}

/** What is computed again in backward, in place of being kept. */
export interface Recompute {
  readonly checkpointing: 'none' | 'reentrant' | 'non-reentrant' | 'selective' | 'offloaded';
  /** Of so many layers one is checkpointed; not said: all. */
  readonly checkpointEvery?: number;
  /** Blocks that are checkpointed together, out of so many in turn; null: each by itself. */
  readonly segments: Segments | null;
  /** Embedding outputs are made to want a gradient (`enable_input_require_grads`). */
  readonly inputGradients: boolean;
}

/** Which code computes attention. */
export interface Kernels {
  readonly attention: 'eager' | 'sdpa' | 'flash';
  /** The device has FlashAttention, which SDPA may choose. */
  readonly hasFlash: boolean;
}

/** How many ranks share what. */
export interface Ranks {
  /** Replicas of the model (DDP). */
  readonly replicas: number;
  /** This rank's part of a pipeline, whose layers `model` has; not said: there is none. */
  readonly stage?: Stage;
  /** Ranks that share the tokens between the layers' products, in addition to tensor parallelism; not said: they do not. */
  readonly sequence?: number;
  /** Ranks that share heads, inner widths and the vocabulary; not said: one. */
  readonly tensor?: number;
  /** Ranks that share each expert; not said: one. */
  readonly expertTensor?: number;
  /** Experts that a router chooses from, of which this rank has `model.experts`; not said: these. */
  readonly routedExperts?: number;
  /** Ranks that have a part of every row each; 1: rows are whole. */
  readonly context: number;
  /** How ranks share what each would hold in full; null: they do not. */
  readonly sharding: Sharding | null;
}

/** The devices that one model is spread over (inference). */
export interface Devices {
  /** Devices that layers, or slices of every layer, are spread over. */
  readonly spread: number;
  /** Where a device map puts its layers; null: one device has all, or they are spread evenly. */
  readonly placement: Placement | null;
}

/** What is generated, what generates it, and the cache that is kept for it. */
export interface Generation {
  /** The engine that serves the model; null: its own code generates. */
  readonly serving: Serving | null;
  readonly useCache: boolean;
  /** Tokens of each row that are in the cache before this forward pass. */
  readonly seen: number;
  /** Tokens that are generated after a prompt of `batch.tokens`. */
  readonly generated: number;
  /** How a cache lies that does not grow; null: it does. */
  readonly staticCache: StaticCache | null;
  /** What keys and values are kept in; null: as they are made. */
  readonly cacheDtype: Element | null;
  /** Logits of the last tokens only; null: of all. */
  readonly logitsToKeep: number | null;
  /** Who writes the completions that the model is trained on; null: none are written. */
  readonly rollout: Rollout | null;
}

/** What runs between training steps. */
export interface Evaluation {
  /** Rows of a batch of evaluation between training steps. */
  readonly evaluated: Maybe<number>;
  /** Tokens that a batch of evaluation writes, and for how many rows; null: it writes none. */
  readonly writes: { readonly tokens: number; readonly beams: number } | null;
}

/** Who writes the completions that a model is trained on. */
export type Rollout = EngineRollout | OwnRollout;

/** An engine writes them (vLLM). */
export interface EngineRollout {
  readonly by: 'engine';
  /** The share of this GPU that the engine holds; 0 where it has GPUs of its own, or the config does not say. */
  readonly share: number;
}

/** The model writes them itself. */
export interface OwnRollout {
  readonly by: 'model';
  /** Completions that it writes at a time. */
  readonly rows: number;
  /** Tokens whose logits are kept, widened, until their log-probabilities are known (trl, ppo_trainer.py, batch_generation). */
  readonly scores: number;
}

/** The share of the GPU that an engine in addition to training holds; 0 where there is no engine. */
export const engineShare = (rollout: Rollout | null): number =>
  rollout?.by === 'engine' ? rollout.share : 0;

/** One run on one device with everything decided: the input of the tape. Each group is built by a file of `setup`. */
export interface MemoryRun {
  readonly model: ModelFacts;
  readonly head: Head;
  /** Models of this kind that are trained side by side, each on rows of its own. */
  readonly encoders: number;
  readonly task: 'train' | 'infer' | 'load';
  /** No file names the model's type: the nearest structure stands for it. */
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
}

/** Whether a training step's forward pass holds keys and values although its layers are checkpointed. */
export function returnsCache({ task, recompute, behavior }: MemoryRun): boolean {
  return task === 'train' && recompute.checkpointing !== 'none' && behavior.returnsCheckpointedCache;
}

import type { ModelFacts } from '../models/model';
import type { Head } from '../spec/values';
import type { Builder } from './modules';
import type { MemoryRun } from './run';
import type { Tape } from './tape';
import type { Tensor } from './tensor';

/** What a forward pass is given. */
export interface Batch {
  /** Token ids; where samples are images or audio, their values. */
  readonly inputIds: Tensor;
  readonly labels: Tensor | null;
  /** What an encoder–decoder's decoder begins with, where there are no labels to make it of. */
  readonly decoderIds: Tensor | null;
  /** The padding mask; null when rows have none. */
  readonly attentionMask: Tensor | null;
}

/** A built model: runs its forward pass and returns the loss, or what inference returns. */
export type Model = (tape: Tape, batch: Batch) => Tensor;

/** What an autoencoder makes of an image or a video. */
export interface LatentShape {
  readonly channels: number;
  /** Pixels a side that become one. */
  readonly scale: number;
  /** Frames that become one, but for the first, which stays by itself; 0: images only. */
  readonly frames: number;
}

/** A spectrogram of fixed size, or a waveform of any: which values a row has, and how many tokens it becomes. */
export type Hearing =
  | {
      readonly kind: 'spectrogram';
      readonly values: number;
      readonly tokens: number;
      readonly targets: number;
    }
  | { readonly kind: 'waveform'; readonly tokensOf: (samples: number) => number };

/** One family of models: which facts it needs and how its forward pass goes. One file each. */
export interface Architecture {
  /** `model_type` of config.json. */
  readonly modelTypes: readonly string[];
  /** Source that was followed: library, file and release. */
  readonly source: string;
  /** The release of transformers since which its code is as modelled, where it was other code before. */
  readonly since?: string;
  /** The release of transformers that its code was written for, where that comes with the checkpoint and not with transformers. */
  readonly release?: string;
  /** What it may end in. */
  readonly heads: readonly Head[];
  /** Its layers are their own units where ranks share parameters (`builder.layer`). */
  readonly hasLayers?: true;
  /** Its layers have the numbers and names by which configs say that some are trained (`builder.rounds`). */
  readonly layersByNumber?: true;
  /** What a row of a batch is: token ids where nothing is said. */
  readonly samples?: 'images' | 'latents' | 'audio';
  /** What it makes of a row of audio. */
  readonly hears?: (model: ModelFacts) => Hearing;
  /** What the autoencoder makes of an image, where the model's facts do not say; that of Stable Diffusion otherwise. */
  readonly latents?: LatentShape;
  /** Attention where the config names none; SDPA where this does not. */
  readonly attention?: 'eager';
  /** False where gradient checkpointing is not modelled; `ignored` where the model's code passes its switch over. */
  readonly checkpoints?: false | 'ignored';
  /** Facts without which there is no estimate, or features that are not modelled: phrases for "missing: …". */
  missing(model: ModelFacts): readonly string[];
  /** What is supposed of every run of such a model. */
  assumes?(model: ModelFacts): readonly string[];
  build(builder: Builder, run: MemoryRun): Model;
}

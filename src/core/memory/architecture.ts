import type { ModelFacts } from '../models/model';
import type { Head } from '../spec/values';
import type { GenerationCode } from './frameworks/behavior/behavior';
import type { Builder } from './modules';
import type { MemoryRun } from './run';
import type { Tape } from './tape';
import type { Tensor } from './tensor';

/** The input of a forward pass. */
export interface Batch {
  /** Token ids; for images or audio, their values. */
  readonly inputIds: Tensor;
  readonly labels: Tensor | null;
  /** The decoder's input in an encoder–decoder without labels to derive it from. */
  readonly decoderIds: Tensor | null;
  /** The padding mask; null if rows have no padding. */
  readonly attentionMask: Tensor | null;
}

/** A built model: runs its forward pass and returns the loss, or the output of inference. */
export type Model = (tape: Tape, batch: Batch) => Tensor;

/** The autoencoder's output for an image or a video. */
export interface LatentShape {
  readonly channels: number;
  /** Pixels per latent on each side. */
  readonly scale: number;
  /** Frames per latent frame, except for the first, which stays separate; 0: images only. */
  readonly frames: number;
}

/** A spectrogram of fixed size, or a waveform of any: the number of values per row, and of tokens they become. */
type AudioInput =
  | {
      readonly kind: 'spectrogram';
      readonly values: number;
      readonly tokens: number;
      readonly targets: number;
    }
  | { readonly kind: 'waveform'; readonly tokensOf: (samples: number) => number };

/** A model family: the facts it needs and its forward pass. One file per family. */
export interface Architecture {
  /** `model_type` of config.json. */
  readonly modelTypes: readonly string[];
  /** The source: library, file and release. */
  readonly source: string;
  /** The release of transformers from which the code is as modeled, if it was different before. */
  readonly since?: string;
  /** The release of transformers that the code was written for, if it comes with the checkpoint. */
  readonly release?: string;
  /** Supported heads. */
  readonly heads: readonly Head[];
  /** Layers are separate units if ranks share parameters (`builder.layer`). */
  readonly hasLayers?: true;
  /** Layers have the numbers and names by which configs select trained layers (`builder.rounds`). */
  readonly layersByNumber?: true;
  /** The content of a row; default: token ids. */
  readonly samples?: 'images' | 'latents' | 'audio' | 'network';
  /** The sizes of an audio row. */
  readonly audioInput?: (model: ModelFacts) => AudioInput;
  /** The autoencoder's output for an image, if the model's facts do not state it; default: Stable Diffusion's. */
  readonly latents?: LatentShape;
  /** Default attention implementation; absent: SDPA. */
  readonly attention?: 'eager';
  /** False if gradient checkpointing is not modeled; `ignored` if the model's code ignores the switch. */
  readonly checkpoints?: false | 'ignored';
  /** Missing facts that prevent an estimate, or features that are not modeled: phrases for "missing: …". */
  missing?(model: ModelFacts): readonly string[];
  /** Assumptions for every run of such a model. */
  assumes?(model: ModelFacts): readonly string[];
  /** How its own code generates, where that differs from the library's. */
  generates?(model: ModelFacts): Partial<GenerationCode>;
  build(builder: Builder, run: MemoryRun): Model;
}

import type { ModelFacts } from '../../../models/model';
import { numbers, stated } from '../../configValues';

/** Defaults of Wav2Vec2Config. */
const WIDTHS = [512, 512, 512, 512, 512, 512, 512];
const STRIDES = [5, 2, 2, 2, 2, 2, 2];
const KERNELS = [10, 3, 3, 3, 3, 2, 2];

/** A convolution over time. */
interface Filter {
  readonly inputs: number;
  readonly outputs: number;
  readonly size: number;
  readonly stride: number;
}

const listed = (model: ModelFacts, name: string, otherwise: readonly number[]): readonly number[] => {
  const found = numbers(model, name);
  return found.length > 0 ? found : otherwise;
};

/** The convolutions from a waveform to frames, in order. */
export function filtersOf(model: ModelFacts): readonly Filter[] {
  const widths = listed(model, 'conv_dim', WIDTHS);
  const strides = listed(model, 'conv_stride', STRIDES);
  const sizes = listed(model, 'conv_kernel', KERNELS);
  return widths.map((outputs, i) => ({
    inputs: widths[i - 1] ?? 1,
    outputs,
    size: sizes[i] ?? 1,
    stride: strides[i] ?? 1,
  }));
}

/** Length of a row after a filter. */
export const filtered = (length: number, { size, stride }: Filter): number =>
  Math.floor((length - size) / stride) + 1;

/** Number of frames for this many samples. */
export function framesOf(model: ModelFacts, samples: number): number {
  return filtersOf(model).reduce(filtered, samples);
}

/** Number of characters (the default of Wav2Vec2Config if a checkpoint has no head). */
export const lettersOf = ({ vocabSize }: ModelFacts): number => (vocabSize > 0 ? vocabSize : LETTERS);

const LETTERS = 32;

/** Positions come from one convolution over this many frames, in this many groups. */
export function positionsOf(model: ModelFacts): { readonly size: number; readonly groups: number } {
  return {
    size: stated(model, 'num_conv_pos_embeddings', 128),
    groups: stated(model, 'num_conv_pos_embedding_groups', 16),
  };
}

import type { ModelFacts } from '../../../models/model';
import { numbers, stated } from '../../configValues';

/** Wav2Vec2Config's values. */
const WIDTHS = [512, 512, 512, 512, 512, 512, 512];
const STRIDES = [5, 2, 2, 2, 2, 2, 2];
const KERNELS = [10, 3, 3, 3, 3, 2, 2];

/** A convolution over time. */
export interface Filter {
  readonly inputs: number;
  readonly outputs: number;
  readonly size: number;
  readonly stride: number;
}

const listed = (model: ModelFacts, name: string, otherwise: readonly number[]): readonly number[] => {
  const found = numbers(model, name);
  return found.length > 0 ? found : otherwise;
};

/** The convolutions that make frames of a waveform, in their order. */
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

/** How long a row is behind a filter. */
export const filtered = (length: number, { size, stride }: Filter): number =>
  Math.floor((length - size) / stride) + 1;

/** Frames that the convolutions make of so many samples. */
export function framesOf(model: ModelFacts, samples: number): number {
  return filtersOf(model).reduce(filtered, samples);
}

/** Letters that frames are told apart by (Wav2Vec2Config's value, where a checkpoint has no head yet). */
export const lettersOf = ({ vocabSize }: ModelFacts): number => (vocabSize > 0 ? vocabSize : LETTERS);

const LETTERS = 32;

/** Positions come from one convolution over so many frames, in so many groups. */
export function positionsOf(model: ModelFacts): { readonly size: number; readonly groups: number } {
  return {
    size: stated(model, 'num_conv_pos_embeddings', 128),
    groups: stated(model, 'num_conv_pos_embedding_groups', 16),
  };
}

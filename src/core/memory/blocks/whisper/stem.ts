import type { Builder } from '../../modules';
import { convolution } from '../../ops/convolution';
import { embedding } from '../../ops/select';
import { activation, add, dropout } from '../../ops/pointwise';
import type { MemoryRun } from '../../run';
import type { Tape } from '../../tape';
import type { Tensor } from '../../tensor';
import { stated } from '../../configValues';

/** From a spectrogram to the input of the encoder's first layer; its names belong to the running function. */
export type Stem = (tape: Tape, features: Tensor, rate: number) => Tensor;

/** Bands of a spectrogram, and frames in the encoder (defaults of WhisperConfig). */
const [BANDS, FRAMES] = [80, 1500];

/** Bands and frames from the config. */
export function sizesOf({ model }: Pick<MemoryRun, 'model'>): {
  readonly bands: number;
  readonly frames: number;
} {
  return {
    bands: stated(model, 'num_mel_bins', BANDS),
    frames: stated(model, 'max_source_positions', FRAMES),
  };
}

/** Two convolutions over time, of which the second has stride 2, and a frozen position table. */
export function buildStem(builder: Builder, run: MemoryRun): Stem {
  const { model } = run;
  const batch = run.batch.rows;
  const { hiddenSize: hidden } = model;
  const { bands, frames } = sizesOf(run);
  const make = (inputs: number): Parameters<typeof convolution>[2] => ({
    weight: builder.kernel([hidden, inputs, 3]),
    bias: builder.vector(hidden),
  });
  const [first, second] = [make(bands), make(hidden)];
  const places = builder.frozen(() => builder.embedding('embed_positions', frames, hidden));
  return (tape, features, rate) => {
    const size = batch * frames * hidden;
    const wide = tape.name(activation(tape, convolution(tape, features, first, 2 * size)));
    const embedded = tape.rename(wide, activation(tape, convolution(tape, wide, second, size)));
    const range = tape.name(tape.empty(frames, 'int64'));
    const lookedUpPositions = embedding(tape, places, tape.view(range, frames));
    const states = tape.name(add(tape, embedded, lookedUpPositions));
    return tape.rename(states, dropout(tape, states, rate));
  };
}

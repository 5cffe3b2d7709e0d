import type { Builder, Step } from '../../modules';
import { activation } from '../../ops/pointwise';
import { convolutionBy } from '../../ops/convolution';
import { slice } from '../../ops/shape';
import { weightNorm } from '../../ops/weightNorm';
import type { MemoryRun } from '../../run';
import { positionsOf } from './shape';

/** Wav2Vec2PositionalConvEmbedding: one wide convolution with a normalised weight, whose last frame is cut off. */
export function buildPositions(builder: Builder, { model, batch: { rows: batch, tokens } }: MemoryRun): Step {
  const { hiddenSize: hidden } = model;
  const { size, groups } = positionsOf(model);
  const bias = builder.vector(hidden);
  const lengths = builder.kernel([1, 1, size]);
  const directions = builder.kernel([hidden, hidden / groups, size]);
  const more = size % 2 === 0 ? 1 : 0;
  return (tape, x) =>
    tape.call([x], () => {
      const weight = weightNorm(tape, directions, lengths);
      const convolved = convolutionBy(tape, x, { weight, bias }, batch * hidden * (tokens + more));
      const states = tape.name(more > 0 ? slice(tape, convolved, x.elements) : convolved);
      return activation(tape, states);
    });
}

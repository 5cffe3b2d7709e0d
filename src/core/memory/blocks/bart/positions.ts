import type { Builder } from '../../modules';
import { embedding } from '../../ops/select';
import { shift } from '../../ops/pointwise';
import type { MemoryRun } from '../../run';
import type { Tape } from '../../tape';
import { bytesPer } from '../../tensor';
import type { Tensor } from '../../tensor';

/** Rows of a position table for one stack's tokens. */
type Places = (tape: Tape, tokens: number, isDecoder: boolean) => Tensor;

/** Creates a stack's table. */
export type MakePlaces = (builder: Builder, run: MemoryRun) => Places;

/** A learned table that starts at row 2; the encoder looks up each row of the batch, the decoder one for all. */
export const learnedPlaces: MakePlaces = (builder, { model, batch: { rows: batch } }) => {
  const table = builder.embedding('embed_positions', model.positionRows, model.hiddenSize);
  return (tape, tokens, isDecoder) =>
    tape.call([], () => {
      const rows = isDecoder ? 1 : batch;
      tape.name(tape.empty(tokens, 'int64'));
      const ids = shift(tape, tape.name(tape.empty(rows * tokens, 'int64')));
      return embedding(tape, table, tape.name(ids));
    });
};

/** Frozen sinusoids that are stored with the weights (Pegasus, Marian). */
export const storedPlaces: MakePlaces = (builder, { model, numbers: { weightDtype } }) => {
  builder.buffer((model.maxPositions ?? 0) * model.hiddenSize * bytesPer(weightDtype));
  return (tape, tokens) =>
    tape.call([], () => {
      tape.name(tape.empty(tokens, 'int64'));
      return tape.empty(tokens * model.hiddenSize, weightDtype);
    });
};

/** The same for each row of the batch, by positions counted over tokens that are not padding (M2M 100). */
export const countedPlaces: MakePlaces = (
  builder,
  { model, batch: { rows: batch }, numbers: { weightDtype } },
) => {
  builder.buffer(((model.maxPositions ?? 0) + 2) * model.hiddenSize * bytesPer(weightDtype));
  return (tape, tokens) =>
    tape.call([], () => {
      tape.name(tape.empty(batch * tokens, 'int64'));
      return tape.empty(batch * tokens * model.hiddenSize, weightDtype);
    });
};

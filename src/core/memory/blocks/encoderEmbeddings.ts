import type { Builder } from '../modules';
import { add, dropout } from '../ops/pointwise';
import { embedding } from '../ops/select';
import type { MemoryRun } from '../run';
import { stated } from '../configValues';
import type { Tape } from '../tape';
import type { Parameter, Tensor } from '../tensor';
import { trainableInput } from './decoder';
import { buildLayerNorm } from './norm';

/** Dropout probabilities; 0 without training. */
export interface DropoutRates {
  /** For embeddings, and for what a layer adds. */
  readonly hidden: number;
  readonly attention: number;
}

/** The input of an encoder's first layer, and the word table. */
export interface EncoderEmbeddings {
  readonly words: Parameter;
  readonly embed: (tape: Tape, inputIds: Tensor) => Tensor;
}

/** Creates the tables, and returns the lookup of a batch. */
export type MakeEmbeddings = (builder: Builder, run: MemoryRun, rates: DropoutRates) => EncoderEmbeddings;

/**
 * Rows of the position and type tables for a batch; the tensors they are views of are named in the running
 * function.
 */
type RowsOf = (
  tape: Tape,
  inputIds: Tensor,
  run: MemoryRun,
) => { readonly positions: Tensor; readonly types: Tensor };

/** The default of BertConfig. */
const TYPES = 2;

/** The words' rows, which require a gradient if the run says so. */
export function lookedUp(tape: Tape, words: Parameter, inputIds: Tensor, run: MemoryRun): Tensor {
  const embedded = embedding(tape, words, inputIds);
  return tape.name(
    run.recompute.inputGradients && embedded.node === null ? trainableInput(tape, embedded) : embedded,
  );
}

/** BertEmbeddings: words, types and positions of size `width`, summed, normalized, with dropout. */
export function bertEmbeddings(rowsOf: RowsOf): MakeEmbeddings {
  return (builder, run, rates) => {
    const { hiddenSize, vocabSize, positionRows } = run.model;
    const width = stated(run.model, 'embedding_size', hiddenSize);
    const types = stated(run.model, 'type_vocab_size', TYPES);
    const words = builder.embedding('word_embeddings', vocabSize, width);
    const positions = builder.embedding('position_embeddings', positionRows, width);
    const kinds = builder.embedding('token_type_embeddings', types, width);
    const norm = buildLayerNorm(builder, width);
    const embed = (tape: Tape, inputIds: Tensor): Tensor =>
      tape.call([inputIds], () => {
        const rows = rowsOf(tape, inputIds, run);
        const embedded = lookedUp(tape, words, inputIds, run);
        const ofTypes = tape.name(embedding(tape, kinds, rows.types));
        let sum = tape.name(add(tape, embedded, ofTypes));
        const ofPlaces = tape.name(embedding(tape, positions, rows.positions));
        sum = tape.rename(sum, add(tape, sum, ofPlaces));
        sum = tape.rename(sum, norm(tape, sum));
        return dropout(tape, sum, rates.hidden);
      });
    return { words, embed };
  };
}

/** Positions and types of one row, shared by the batch (BERT). */
export const sharedRows: RowsOf = (tape, inputIds, { batch: { tokens } }) => {
  const types = tape.name(tape.empty(tokens, 'int64'));
  return { types: tape.view(types, inputIds.elements), positions: tape.view(types, tokens) };
};

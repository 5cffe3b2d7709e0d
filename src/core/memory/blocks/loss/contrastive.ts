import { mul, rowSums, sum } from '../../ops/pointwise';
import type { MemoryRun } from '../../run';
import type { Tape } from '../../tape';
import type { Tensor } from '../../tensor';

/**
 * Sentence embeddings as the mean of hidden states under the padding mask, which is expanded to their size and kept
 * (sentence-transformers, models/Pooling.py). The similarities of the sentences are few beside them: left out.
 */
export function meanPooling(tape: Tape, { tokens }: MemoryRun, hidden: Tensor): Tensor {
  return tape.call([hidden], () => {
    const mask = tape.name(tape.like(hidden));
    const sentences = tape.name(rowSums(tape, mul(tape, hidden, mask), tokens));
    return sum(tape, sentences);
  });
}

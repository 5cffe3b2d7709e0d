import { batchedMatmul } from '../../ops/attention';
import { mul, rowSums, scale, square, sum } from '../../ops/pointwise';
import { catWith } from '../../ops/shape';
import type { Contrast, MemoryRun } from '../../run';
import type { Tape } from '../../tape';
import { bytesPer } from '../../tensor';
import type { Tensor } from '../../tensor';
import { INPUTS } from '../../terms';
import { classLoss } from './crossEntropy';

/**
 * Sentence embeddings as the mean of hidden states under the padding mask, which is expanded to their size and kept
 * (sentence-transformers, models/Pooling.py), and their loss.
 */
export function meanPooling(
  tape: Tape,
  { batch: { tokens, contrast }, model }: MemoryRun,
  hidden: Tensor,
): Tensor {
  return tape.call([hidden], () => {
    const mask = tape.name(tape.like(hidden));
    const sentences = tape.name(rowSums(tape, mul(tape, hidden, mask), tokens));
    if (contrast.kind !== 'known') return sum(tape, sentences);
    return contrast.value.cached
      ? surrogate(tape, sentences)
      : compared(tape, sentences, contrast.value, model.hiddenSize);
  });
}

/**
 * MultipleNegativesRankingLoss: each query with all passages of the batch, or of all ranks (sentence-transformers,
 * losses/multiple_negatives_ranking.py; the same in FlagEmbedding and tevatron).
 */
function compared(tape: Tape, sentences: Tensor, { queries, passages }: Contrast, width: number): Tensor {
  return tape.call([sentences], () => {
    const lengths = rowSums(tape, square(tape, sentences), width);
    const normed = tape.name(mul(tape, sentences, lengths));
    const own = (queries + passages) * width;
    const others = Math.max(0, own - normed.elements);
    const all = others > 0 ? tape.name(catWith(tape, normed, others)) : normed;
    const factor = { tensor: normed, permuted: false };
    const product = batchedMatmul(tape, factor, { tensor: all, permuted: false }, queries * passages);
    const scores = tape.name(scale(tape, product));
    return classLoss(tape, scores, tape.name(tape.during(INPUTS, () => tape.empty(queries, 'int64'))));
  });
}

/** Passes a known gradient of the embeddings to the graph of a part of the batch. */
function surrogate(tape: Tape, sentences: Tensor): Tensor {
  const known = tape.name(tape.like(sentences));
  return sum(tape, mul(tape, sentences, known));
}

/**
 * Before the first part of a batch is encoded with a graph, all embeddings and their gradients exist; the scores
 * they were computed from are already freed (GradCache; sentence-transformers,
 * losses/cached_multiple_negatives_ranking.py). They live to the end of the step.
 */
export function cachedGradients(tape: Tape, run: MemoryRun): readonly Tensor[] {
  const { model } = run;
  const { contrast } = run.batch;
  const { weightDtype, autocast } = run.numbers;
  if (contrast.kind !== 'known' || tape.graph === null) return [];
  const { queries, passages, cached } = contrast.value;
  if (cached === null) return [];
  const dtype = autocast ?? weightDtype;
  const embeddings = [0, 1].map(() => tape.keep(tape.empty(cached.sentences * model.hiddenSize, dtype)));
  const scores = Math.min(queries, cached.scored) * passages;
  // Scores, their log-probabilities, and the gradients of both.
  const made = [bytesPer(dtype), 4, 4, 4].map(bytes => tape.workspace(scores * bytes));
  for (const one of made) tape.spend(one);
  return embeddings;
}

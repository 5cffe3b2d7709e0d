import type { Builder } from '../../modules';
import { biasActivation, columnLinear, vocabParallelLoss } from '../../ops/megatron';
import { inPlaceCrossEntropy } from '../../ops/loss';
import { layerNorm } from '../../ops/norm';
import { linear } from '../../ops/linear';
import { sum } from '../../ops/pointwise';
import type { MemoryRun } from '../../run';
import type { Tape } from '../../tape';
import { LOGITS } from '../../terms';
import type { Parameter, Tensor } from '../../tensor';
import { norm, weights } from './layer';

/** From hidden states to a loss over this rank's part of the vocabulary. */
export type MegatronHead = (tape: Tape, hidden: Tensor, labels: Tensor | null) => Tensor;

/** The last norm and the output layer, tied to the word table if the model says so. */
export function languageHead(builder: Builder, run: MemoryRun, table: Parameter | null): MegatronHead {
  const last = norm(builder, run);
  const output = outputOf(builder, run, table);
  return (tape, hidden, labels) => {
    const states = last(tape, hidden);
    return tape.during(LOGITS, () => lossOf(tape, states, output, labels, run));
  };
}

/**
 * The last norm, and scores of the labels for every token (mcore-bridge 1.6, model/gpt_model.py, task_type seq_cls): an
 * output layer of a few columns, or for embeddings none.
 */
export function rowHead(builder: Builder, run: MemoryRun): MegatronHead {
  const { model, head } = run;
  const last = norm(builder, run);
  const scores = head === 'base' ? null : weights(builder, [LABELS, model.hiddenSize], false);
  return (tape, hidden) => {
    const states = last(tape, hidden);
    return tape.during(LOGITS, () => sum(tape, scores ? linear(tape, states, ...scores) : states));
  };
}

/** As many labels as a config of transformers has by default; each is a column. */
const LABELS = 2;

/** BertLMHead before the output layer: a dense layer, GELU and a norm (core/models/bert/bert_lm_head.py). */
export function maskedHead(builder: Builder, run: MemoryRun, table: Parameter | null): MegatronHead {
  const { hiddenSize } = run.model;
  const last = norm(builder, run);
  const dense = weights(builder, [hiddenSize, hiddenSize], true);
  const [weight, bias] = [builder.vector(hiddenSize), builder.vector(hiddenSize)];
  const output = outputOf(builder, run, table);
  return (tape, hidden, labels) => {
    const active = biasActivation(tape, linear(tape, last(tape, hidden), ...dense));
    const states = layerNorm(tape, active, { weight, bias });
    return tape.during(LOGITS, () => lossOf(tape, states, output, labels, run));
  };
}

/** The last rank of a pipeline also has a copy of the table. */
export function outputOf(builder: Builder, { model }: MemoryRun, table: Parameter | null): Parameter {
  const own = model.tiedEmbeddings ? table : null;
  return own ?? builder.embedding('lm_head', model.vocabSize, model.hiddenSize);
}

/** The loss of all tokens, with logits of this rank's part of the vocabulary. */
export function lossOf(
  tape: Tape,
  states: Tensor,
  output: Parameter,
  labels: Tensor | null,
  run: MemoryRun,
): Tensor {
  return tape.call([], () => {
    const logits = tape.name(columnLinear(tape, states, [output, null], run));
    if (labels === null) return logits;
    const { loss } = run.behavior;
    const kernel = loss.kind === 'cross-entropy' ? loss.kernel : 'torch';
    // Transformer Engine's loss writes the gradient over the logits (pytorch/cross_entropy.py).
    if (kernel === 'in place forwards') return inPlaceCrossEntropy(tape, logits, labels, false);
    return sum(tape, vocabParallelLoss(tape, logits, labels, kernel === 'compiled'));
  });
}

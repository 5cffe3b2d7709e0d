import type { CrossEntropyKernel, LossCode } from '../../frameworks/behavior/behavior';
import {
  compiledCrossEntropy,
  inPlaceCrossEntropy,
  logSoftmax,
  nllLoss,
  nllLossByRanks,
  nllLossInParts,
} from '../../ops/loss';
import { to } from '../../ops/cast';
import { copy, slice } from '../../ops/shape';
import type { Tape } from '../../tape';
import { widen } from '../../transforms/autocast';
import type { Tensor } from '../../tensor';

type CrossEntropy = Extract<LossCode, { kind: 'cross-entropy' }>;

/** A model's loss function: fp32 logits, next-token labels, cross entropy over `rows` of logits. */
export function causalLoss(
  tape: Tape,
  code: CrossEntropy,
  logits: Tensor,
  labels: Tensor,
  rows: number,
): Tensor {
  return tape.call([logits, labels], () => {
    const wide = tape.name(code.upcast === 'never' ? logits : to(tape, logits, 'fp32'));
    return code.shift === 'labels'
      ? withShiftedLabels(tape, code.kernel, wide, labels, rows)
      : withShiftedCopies(tape, code.kernel, wide, labels, rows);
  });
}

/** Labels padded by one and shifted, with all logits. */
function withShiftedLabels(
  tape: Tape,
  kernel: CrossEntropyKernel,
  logits: Tensor,
  labels: Tensor,
  rows: number,
): Tensor {
  const padded = tape.name(tape.empty(labels.elements + rows, 'int64'));
  const targets = rows === 1 ? padded : tape.name(tape.empty(labels.elements, 'int64'));
  return crossEntropy(tape, kernel, logits, targets);
}

/** `logits[..., :-1, :].contiguous()` and `labels[..., 1:].contiguous()`: no copies for a single row. */
function withShiftedCopies(
  tape: Tape,
  kernel: CrossEntropyKernel,
  logits: Tensor,
  labels: Tensor,
  rows: number,
): Tensor {
  const width = logits.elements / labels.elements;
  const kept = labels.elements - rows;
  const all = slice(tape, logits, kept * width);
  const shifted = tape.name(rows === 1 ? all : copy(tape, all));
  const targets = tape.name(rows === 1 ? tape.view(labels, kept) : tape.empty(kept, 'int64'));
  return crossEntropy(tape, kernel, shifted, targets);
}

/** torchtitan, components/loss.py, chunked_cross_entropy_loss. */
const LOSS_PARTS = 8;

function crossEntropy(tape: Tape, kernel: CrossEntropyKernel, logits: Tensor, targets: Tensor): Tensor {
  if (kernel === 'torch, by column') {
    const ordered = tape.like(logits);
    return nllLoss(tape, tape.done(logSoftmax(tape, logits), ordered), targets);
  }
  if (kernel === 'torch, by ranks') return nllLossByRanks(tape, logits, targets);
  if (kernel === 'compiled') return compiledCrossEntropy(tape, logits, targets);
  if (kernel === 'torch, in parts') return nllLossInParts(tape, logits, targets, LOSS_PARTS);
  if (kernel !== 'torch') return inPlaceCrossEntropy(tape, logits, targets, kernel === 'in place backwards');
  return nllLoss(tape, widen(tape, logSoftmax(tape, logits)), targets);
}

/**
 * Cross entropy in the logits' own dtype; autocast upcasts only the log-probabilities (aten LossNLL.cpp passes
 * log_softmax a dtype, which autocast respects). Without labels, the logits.
 */
export function classLoss(tape: Tape, logits: Tensor, labels: Tensor | null): Tensor {
  if (labels === null) return logits;
  return tape.call([logits], () => {
    const logProbabilities = logSoftmax(tape, logits);
    const wide = tape.autocast === null ? logProbabilities : to(tape, logProbabilities, 'fp32');
    return nllLoss(tape, wide, labels);
  });
}

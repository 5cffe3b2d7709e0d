import { logSoftmax, nllLoss } from '../../ops/loss';
import { to } from '../../ops/cast';
import type { Tape } from '../../tape';
import type { Tensor } from '../../tensor';

/**
 * Cross entropy in the logits' own dtype; autocast widens the log-probabilities only (aten LossNLL.cpp gives
 * log_softmax a dtype, which autocast respects). Without labels the logits.
 */
export function classLoss(tape: Tape, logits: Tensor, labels: Tensor | null): Tensor {
  if (labels === null) return logits;
  return tape.call([logits], () => {
    const logProbabilities = logSoftmax(tape, logits);
    const wide = tape.autocast === null ? logProbabilities : to(tape, logProbabilities, 'fp32');
    return nllLoss(tape, wide, labels);
  });
}

import { to } from '../../ops/cast';
import { gather, logSumExpRows, logSoftmax } from '../../ops/loss';
import { add, sum } from '../../ops/pointwise';
import { slice } from '../../ops/shape';
import type { MemoryRun } from '../../run';
import type { Tape } from '../../tape';
import { isHalf } from '../../tensor';
import type { Tensor } from '../../tensor';

/**
 * Log-probabilities of the labels in both sequences of each pair (trl, dpo_trainer.py; utils.py, selective_log_softmax):
 * in fp32 from the labels' logits and each row's log-sum-exp, in 16 bits from the log-softmax of each row.
 * Under autocast accelerate has widened what the model gives. What follows is a number a row: left out.
 */
export function preferenceLoss(
  tape: Tape,
  { batch, behaviour, autocast }: MemoryRun,
  logits: Tensor,
  labels: Tensor,
  selective: boolean,
): Tensor {
  const widened = autocast !== null && behaviour.copiesOutputs && isHalf(logits.dtype);
  const width = logits.elements / labels.elements;
  return tape.call([logits], () => {
    const outputs = tape.rename(logits, widened ? to(tape, logits, 'fp32') : logits);
    const tokens = labels.elements - batch;
    const shifted = tape.name(slice(tape, outputs, tokens * width));
    const chosen = tape.name(tape.view(labels, tokens));
    const inParts = selective && !isHalf(shifted.dtype);
    if (!inParts) return sum(tape, gather(tape, logSoftmax(tape, shifted), chosen));
    const selected = gather(tape, shifted, chosen);
    return sum(tape, add(tape, selected, logSumExpRows(tape, shifted, batch, tokens)));
  });
}

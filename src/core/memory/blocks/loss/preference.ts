import { to } from '../../ops/cast';
import { gather, logSumExpRows, logSoftmax } from '../../ops/loss';
import { add, sum } from '../../ops/pointwise';
import { slice } from '../../ops/shape';
import type { MemoryRun } from '../../run';
import type { Tape } from '../../tape';
import type { LossCode } from '../../frameworks/behavior/behavior';
import { isHalf } from '../../tensor';
import type { Tensor } from '../../tensor';

type ScoreCode = Extract<LossCode, { kind: 'log-probabilities' }>;

/**
 * The kernel copies rows without their last token into contiguous memory (ATen/native/cuda/SoftMax.cu,
 * `input_.contiguous()`).
 */
function ofAllWords(tape: Tape, logits: Tensor, copies: boolean): Tensor {
  const copied = copies ? tape.like(logits) : null;
  const result = logSoftmax(tape, logits);
  if (copied) tape.spend(copied);
  return result;
}

/**
 * Logits as the trainer receives them: accelerate upcasts a model's outputs under autocast, LLaMA-Factory always
 * upcasts its logits.
 */
export function widenedScores(
  tape: Tape,
  { behavior, numbers: { autocast } }: MemoryRun,
  logits: Tensor,
  { keepsLogits }: ScoreCode,
): Tensor {
  const widened = keepsLogits === true || (autocast !== null && behavior.copiesOutputs);
  return widened && isHalf(logits.dtype) ? tape.rename(logits, to(tape, logits, 'fp32')) : logits;
}

/**
 * Log-probabilities of the labels in both sequences of each pair (trl, dpo_trainer.py; utils.py,
 * selective_log_softmax): in fp32 from the labels' logits and each row's log-sum-exp, in 16 bits from the
 * log-softmax of each row. Omits the rest, which is one number per row.
 */
export function preferenceLoss(
  tape: Tape,
  { batch: { rows: batch } }: MemoryRun,
  logits: Tensor,
  labels: Tensor,
  { selective, keepsLogits, logsEntropies }: ScoreCode,
): Tensor {
  const width = logits.elements / labels.elements;
  return tape.call([logits], () => {
    if (logsEntropies || (keepsLogits && tape.graph)) tape.untilLoss.push(tape.keep(logits));
    const tokens = labels.elements - batch;
    const shifted = tape.name(slice(tape, logits, tokens * width));
    const chosen = tape.name(tape.view(labels, tokens));
    const inParts = selective && !isHalf(shifted.dtype);
    if (!inParts) {
      return sum(tape, gather(tape, ofAllWords(tape, shifted, keepsLogits === true && batch > 1), chosen));
    }
    const selected = gather(tape, shifted, chosen);
    return sum(tape, add(tape, selected, logSumExpRows(tape, shifted, batch, tokens)));
  });
}

/** Tensors that live until a step's loss, and those for logging (trl, utils.py, entropy_from_logits). */
export function logged(tape: Tape, { behavior, batch: { rows: batch }, model }: MemoryRun): void {
  const { loss } = behavior;
  const [logits] = tape.untilLoss;
  if (logits && loss.kind === 'log-probabilities' && loss.logsEntropies && batch > 1) {
    const copied = tape.empty((logits.elements / model.vocabSize - batch) * model.vocabSize, logits.dtype);
    // The log-softmax of a part, its exponentials, and their product.
    tape.spend(tape.empty(3 * PART * model.vocabSize, logits.dtype));
    tape.spend(copied);
  }
  for (const tensor of tape.untilLoss.splice(0)) tape.release(tensor);
}

const PART = 128;

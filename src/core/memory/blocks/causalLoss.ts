import type { LossCode } from '../behaviours';
import { logSoftmax, nllLoss } from '../ops/loss';
import { to } from '../ops/pointwise';
import { copy, slice } from '../ops/shape';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';

/** Next-token cross entropy over `rows` of logits. */
export function causalLoss(tape: Tape, code: LossCode, logits: Tensor, labels: Tensor, rows: number): Tensor {
  return tape.call([logits, labels], () => {
    const wide = tape.name(to(tape, logits, 'fp32'));
    return code === 'shifted-labels'
      ? shiftedLabels(tape, wide, labels, rows)
      : shiftedCopy(tape, wide, labels, rows);
  });
}

/** transformers ≥ 4.50 (loss/loss_utils.py, ForCausalLMLoss): labels are padded by one and shifted. */
function shiftedLabels(tape: Tape, logits: Tensor, labels: Tensor, rows: number): Tensor {
  const padded = tape.name(tape.empty(labels.elements + rows, 'int64'));
  const targets = rows === 1 ? padded : tape.name(tape.empty(labels.elements, 'int64'));
  return crossEntropy(tape, logits, targets);
}

/** transformers 4.46–4.49: `logits[..., :-1, :].contiguous()`, no copy where there is but one row. */
function shiftedCopy(tape: Tape, logits: Tensor, labels: Tensor, rows: number): Tensor {
  const width = logits.elements / labels.elements;
  const kept = labels.elements - rows;
  const all = slice(tape, logits, kept * width);
  const shifted = tape.name(rows === 1 ? all : copy(tape, all));
  const targets = tape.name(rows === 1 ? tape.view(labels, kept) : tape.empty(kept, 'int64'));
  return crossEntropy(tape, shifted, targets);
}

function crossEntropy(tape: Tape, logits: Tensor, targets: Tensor): Tensor {
  return nllLoss(tape, logSoftmax(tape, logits), targets);
}

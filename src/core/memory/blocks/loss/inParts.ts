import { to } from '../../ops/cast';
import { linear } from '../../ops/linear';
import { compiledCrossEntropy, logSoftmax, nllLoss } from '../../ops/loss';
import { add } from '../../ops/pointwise';
import { split } from '../../ops/shape';
import type { LossCode } from '../../frameworks/behavior/behavior';
import type { Linear } from '../../modules';
import type { Tape } from '../../tape';
import type { Parameter, Tensor } from '../../tensor';

type InParts = Extract<LossCode, { kind: 'in parts' }>;

/** What a loss of parts of the logits works on. */
interface PartsOf {
  readonly hidden: Tensor;
  readonly head: Parameter | Linear;
  readonly labels: Tensor;
}

/**
 * torchtune's losses: `hidden.chunk(8)`, each part's logits, widened for its cross entropy alone. CEWithChunkedOutputLoss is
 * given the logits of all parts, which the recipe lets go of before backward; LinearCrossEntropyLoss makes them itself.
 */
export function lossInParts(tape: Tape, { hidden, head, labels }: PartsOf, code: InParts): Tensor {
  return tape.call([hidden, labels], () => {
    const parts = Math.min(code.parts, labels.elements);
    const sizes = Array.from({ length: parts }, () => hidden.elements / parts);
    const inputs = split(tape, hidden, sizes).map(part => tape.name(part));
    const logitsOf = (part: Tensor): Tensor =>
      typeof head === 'function' ? head(tape, part) : linear(tape, part, head, null);
    const targets = (): Tensor => tape.view(labels, labels.elements / parts);
    const lossOf = (logits: Tensor): Tensor =>
      code.compiled
        ? compiledCrossEntropy(tape, logits, targets())
        : nllLoss(tape, logSoftmax(tape, to(tape, logits, 'fp32')), targets());
    const before = code.made === 'within' ? null : madeBefore(tape, inputs.map(logitsOf), code);
    let loss = tape.name(tape.empty(1, 'fp32'));
    for (const [i, part] of inputs.entries()) {
      loss = tape.rename(loss, add(tape, loss, lossOf(before?.[i] ?? logitsOf(part))));
    }
    return loss;
  });
}

/** Lightning Fabric widens what a module returns; litgpt's loop has a name for it (finetune/lora.py, fit). */
function madeBefore(tape: Tape, logits: readonly Tensor[], { made }: InParts): readonly Tensor[] {
  for (const part of logits) tape.name(part);
  if (made === 'before') return logits;
  const wide = logits.map(part => tape.name(to(tape, part, 'fp32')));
  for (const part of logits) if (!wide.includes(part)) tape.drop(part);
  for (const part of wide) tape.graph?.hold(part);
  return wide;
}

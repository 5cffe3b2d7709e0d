import { to } from '../../ops/cast';
import { add } from '../../ops/pointwise';
import { linear } from '../../ops/linear';
import { logSoftmax, nllLoss } from '../../ops/loss';
import { copy, slice } from '../../ops/shape';
import { checkpoint } from '../../transforms/checkpoint';
import type { Tape } from '../../tape';
import type { Tensor } from '../../tensor';
import { productOf } from '../../work';
import type { FusedInputs } from './fused';

/** Number of parts that are run: later ones behave like the last of these. */
const DISTINCT_PARTS = 3;

/** TRL's chunked loss: logits of one part of the tokens at a time, each part checkpointed (sft_trainer.py). */
export function chunkedLoss(tape: Tape, { hidden, head, labels, rows }: FusedInputs, size: number): Tensor {
  const [, width = 1] = head.shape;
  return tape.call([hidden, labels], () => {
    const tokens = labels.elements - rows;
    const cut = slice(tape, hidden, tokens * width);
    const ordered = tape.name(copy(tape, rows === 1 ? cut : copy(tape, cut)));
    const targets = tape.name(tape.empty(tokens, 'int64'));
    const part = Math.min(size, tokens);
    let loss = tape.name(tape.empty(1, 'fp32'));
    const parts = Math.ceil(tokens / part);
    const distinct = Math.min(DISTINCT_PARTS, parts);
    // The others run their product twice, because of the checkpoint, and its gradients.
    const others = (parts - distinct) * (head.node ? 4 : 3);
    if (others > 0) {
      const { dtype } = hidden;
      tape.ledger.meter.product(productOf({ elements: part * width, dtype }, head.shape), others);
    }
    for (let i = 0; i < distinct; i++) {
      const body = (input: Tensor): Tensor => {
        const logits = tape.name(to(tape, linear(tape, input, head, null), 'fp32'));
        return nllLoss(tape, logSoftmax(tape, logits), tape.view(targets, part));
      };
      const chunk = tape.name(slice(tape, ordered, part * width));
      const captured = [targets];
      const partLoss = checkpoint(tape, chunk, {
        kind: 'non-reentrant',
        captured,
        body: x => tape.call([x], () => body(x)),
      });
      tape.drop(chunk);
      loss = tape.rename(loss, add(tape, loss, partLoss));
    }
    return loss;
  });
}

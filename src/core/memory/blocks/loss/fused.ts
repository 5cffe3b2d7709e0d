import { lower } from '../../transforms/autocast';
import type { Tape } from '../../tape';
import type { Parameter, Tensor } from '../../tensor';
import { notesProduct, productOf } from '../../work';

/** The inputs of a loss without a logits tensor. */
export interface FusedInputs {
  /** The last hidden states of all tokens. */
  readonly hidden: Tensor;
  readonly head: Parameter;
  readonly labels: Tensor;
  readonly rows: number;
}

const powerOfTwo = (n: number): number => 2 ** Math.ceil(Math.log2(n));

/**
 * Liger's fused linear cross entropy: for one part of the tokens at a time computes logits, their gradient in
 * place, and the gradients of input and weight, which are kept for backward
 * (liger_kernel/ops/fused_linear_cross_entropy.py; parts of tokens ÷ (vocabulary ÷ hidden size), a power of two).
 */
export function fusedLinearLoss(
  tape: Tape,
  { hidden, head, labels, rows }: FusedInputs,
  upcast: boolean,
): Tensor {
  const [vocabulary = 1, width = 1] = head.shape;
  return tape.call([hidden, labels], () => {
    const input = tape.name(lower(tape, shifted(tape, hidden, rows, width)));
    const weight = tape.name(lower(tape, head));
    tape.name(tape.empty(labels.elements - rows, 'int64'));
    const tokens = input.elements / width;
    const node = tape.record(input, weight);
    const ofInput = tape.name(tape.like(input));
    // Logits, and at once the gradients of the input and of a trained head.
    const products = weight.node ? 3 : 2;
    if (!tape.ledger.muted) tape.ledger.meter.product(productOf(input, head.shape), products);
    const ofWeight = weight.node && tape.name(tape.like(weight));
    tape.name(tape.empty(tokens, 'fp32'));
    const part = Math.min(tokens, powerOfTwo(tokens / Math.ceil(vocabulary / width)));
    oneChunk(tape, part * vocabulary, part * width, { like: input, upcast });
    if (node) {
      for (const gradient of [ofInput, ofWeight]) if (gradient) node.save(gradient);
      node.backward = () => [
        input.node && tape.view(ofInput, ofInput.elements),
        ofWeight && tape.view(ofWeight, ofWeight.elements),
      ];
    }
    return tape.empty(1, 'fp32', node);
  });
}

/** `hidden[..., :-1, :].contiguous()`; without rows, if labels are not shifted, all tokens. */
function shifted(tape: Tape, hidden: Tensor, rows: number, width: number): Tensor {
  const node = tape.record(hidden);
  if (node) node.backward = () => [tape.like(hidden)];
  const elements = hidden.elements - rows * width;
  return rows <= 1 ? tape.view(hidden, elements, node) : tape.empty(elements, hidden.dtype, node);
}

function oneChunk(tape: Tape, logits: number, width: number, kind: { like: Tensor; upcast: boolean }): void {
  const { dtype } = kind.like;
  const product = tape.empty(logits, dtype);
  const gradient = kind.upcast ? tape.done(tape.empty(logits, 'fp32'), product) : product;
  const narrow = kind.upcast ? tape.done(tape.empty(logits, dtype), gradient) : gradient;
  tape.spend(tape.empty(width, dtype));
  tape.spend(narrow);
}

/** Cut cross entropy: keeps only the log-sum-exp of each token (apple/ml-cross-entropy, cce.py). */
export function cutLoss(tape: Tape, { hidden, head, rows }: FusedInputs): Tensor {
  const [, width = 1] = head.shape;
  return tape.call([hidden], () => {
    const input = tape.name(lower(tape, shifted(tape, hidden, rows, width)));
    const weight = tape.name(lower(tape, head));
    const node = tape.record(input, weight);
    const logSumExp = tape.name(tape.empty(input.elements / width, 'fp32'));
    // Backward computes the logits once more.
    notesProduct(tape, node, productOf(input, head.shape), [input, input, weight]);
    if (node) {
      for (const kept of [input, weight, logSumExp]) node.save(kept);
      node.backward = () => [input.node && tape.like(input), weight.node && tape.like(weight)];
    }
    return tape.empty(1, 'fp32', node);
  });
}

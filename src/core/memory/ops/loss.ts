import type { Tape } from '../tape';
import type { Tensor } from '../tensor';
import { exp, mul, subtract } from './pointwise';
import { bytesPer } from '../tensor';

/** log(softmax(x)) keeps its result; backward allocates one tensor. */
export function logSoftmax(tape: Tape, x: Tensor): Tensor {
  const node = tape.record(x);
  const result = tape.like(x, node);
  if (node) {
    node.save(result);
    if (tape.softmaxKeepsInput) node.save(x);
    node.backward = () => [tape.like(x)];
  }
  return tape.done(result, x);
}

/** Negative log-likelihood: a scalar, and the total weight for backward. */
export function nllLoss(tape: Tape, logProbabilities: Tensor, targets: Tensor): Tensor {
  const node = tape.record(logProbabilities);
  const loss = tape.empty(1, logProbabilities.dtype, node);
  const totalWeight = tape.empty(1, logProbabilities.dtype);
  if (node) {
    node.save(logProbabilities);
    node.save(targets);
    node.save(totalWeight);
    node.backward = () => [tape.like(logProbabilities)];
  }
  tape.spend(totalWeight);
  return tape.done(loss, logProbabilities, targets);
}

/**
 * Triton cross entropy: loss and log-sum-exp per row; the gradient overwrites the logits, in backward or
 * immediately (unsloth and Liger kernels).
 */
export function inPlaceCrossEntropy(tape: Tape, logits: Tensor, targets: Tensor, backwards: boolean): Tensor {
  const rows = targets.elements;
  return tape.call([logits, targets], () => {
    const node = tape.record(logits);
    tape.name(tape.empty(rows, 'fp32'));
    const logSumExp = backwards ? tape.name(tape.empty(rows, 'fp32')) : null;
    if (node) {
      for (const kept of [logits, logSumExp, targets]) if (kept) node.save(kept);
      node.backward = () => [tape.view(logits, logits.elements)];
    }
    return tape.empty(1, 'fp32', node);
  });
}

/** One element per row, by index; in backward a full-size gradient. */
export function gather(tape: Tape, x: Tensor, indices: Tensor): Tensor {
  const node = tape.record(x);
  if (node) {
    node.save(indices);
    node.backward = () => [tape.like(x)];
  }
  return tape.done(tape.empty(indices.elements, x.dtype, node), x);
}

/**
 * logsumexp of each row separately, then stacked: keeps its input; in backward the rows' gradients, then all
 * combined.
 */
export function logSumExpRows(tape: Tape, x: Tensor, rows: number, results: number): Tensor {
  const node = tape.record(x);
  const result = tape.empty(results, x.dtype, node);
  if (node) {
    node.save(x);
    node.save(result);
    node.backward = () => {
      const gradients = tape.like(x);
      tape.spend(tape.empty(x.elements / rows, x.dtype));
      return [tape.done(tape.like(x), gradients)];
    };
  }
  return tape.done(result, x);
}

/** binary_cross_entropy_with_logits, with a loss per element: keeps both (tools/autograd/derivatives.yaml). */
export function binaryCrossEntropy(tape: Tape, x: Tensor, targets: Tensor): Tensor {
  const node = tape.record(x);
  if (node) {
    node.save(x);
    node.save(targets);
    node.backward = () => [tape.like(x)];
  }
  return tape.done(tape.like(x, node), x, targets);
}

/** mse_loss: keeps both; a scalar. */
export function meanSquaredError(tape: Tape, x: Tensor, target: Tensor): Tensor {
  const node = tape.record(x);
  if (node) {
    node.save(x);
    node.save(target);
    node.backward = () => [tape.like(x)];
  }
  return tape.done(tape.empty(1, x.dtype, node), x, target);
}

/** One compiled function: keeps the logits and two numbers per row; in backward their gradient in their dtype. */
export function compiledCrossEntropy(tape: Tape, logits: Tensor, targets: Tensor): Tensor {
  const rows = targets.elements;
  return tape.call([logits, targets], () => {
    const node = tape.record(logits);
    const [most, sums] = [tape.name(tape.empty(rows, 'fp32')), tape.name(tape.empty(rows, 'fp32'))];
    if (node) {
      for (const kept of [logits, targets, most, sums]) node.save(kept);
      node.backward = () => [tape.like(logits)];
    }
    return tape.empty(1, 'fp32', node);
  });
}

/**
 * Cross entropies of `parts` views of the logits, each upcast separately: keeps the log-probabilities of all; in
 * backward one part's fp32 gradients at a time, then all in the narrow dtype, both by part and combined.
 */
export function nllLossInParts(tape: Tape, logits: Tensor, targets: Tensor, parts: number): Tensor {
  const size = Math.ceil(logits.elements / parts);
  const node = tape.record(logits);
  const logProbabilities = tape.empty(logits.elements, 'fp32');
  tape.spend(tape.empty(size, 'fp32'));
  if (node) {
    node.save(logProbabilities);
    node.save(targets);
    node.backward = () => {
      const wide = [tape.empty(size, 'fp32'), tape.empty(size, 'fp32')];
      const byPart = tape.like(logits);
      for (const one of wide) tape.spend(one);
      return [tape.done(tape.like(logits), byPart)];
    };
  }
  tape.spend(logProbabilities);
  return tape.done(tape.empty(1, 'fp32', node), logits, targets);
}

/**
 * Log-softmax over a sharded vocabulary, and the loss; in backward one expression for both, `(zeros + exp(x)) *
 * grad` (torch 2.15, distributed/tensor/parallel/loss.py, _log_softmax and _nll_loss_and_log_softmax_backward).
 */
export function nllLossByRanks(tape: Tape, logits: Tensor, targets: Tensor): Tensor {
  const node = tape.record(logits);
  const shifted = tape.like(logits);
  tape.spend(tape.like(logits));
  const logProbabilities = tape.done(tape.like(logits), shifted);
  if (node) {
    node.save(logProbabilities);
    node.save(targets);
    node.backward = () => {
      const zeros = tape.like(logits);
      const exponentials = tape.like(logits);
      const sum = tape.done(tape.like(logits), exponentials);
      return [tape.done(tape.like(logits), zeros, sum)];
    };
  }
  tape.spend(logProbabilities);
  return tape.done(tape.empty(1, 'fp32', node), logits, targets);
}

/**
 * `logsumexp(stack([a + c, b + d]), dim=0)`: keeps the stack and its result; in backward `grad * exp(stack -
 * result)`, half of it for each operand (torch, tools/autograd/derivatives.yaml, logsumexp and stack).
 */
export function logSumExpOfTwo(tape: Tape, a: Tensor, b: Tensor): Tensor {
  const node = tape.record(a, b);
  const shifted = [tape.like(a), tape.like(b)];
  const stack = tape.empty(2 * a.elements, a.dtype);
  for (const one of shifted) tape.spend(one);
  const result = tape.like(a, node);
  if (node) {
    for (const kept of [stack, result]) node.save(kept);
    node.backward = () => {
      const both = (): Tensor => tape.empty(2 * a.elements, a.dtype);
      const temporaries = [both(), both()];
      const whole = both();
      for (const one of temporaries) tape.spend(one);
      const halves = [a, b].map(operand => operand.node && tape.view(whole, a.elements));
      tape.spend(whole);
      return halves;
    };
  }
  return tape.done(result, a, b, stack);
}

/** `kl_div(input, target, reduction='none', log_target=True)`: `exp(target) * (target - input)` (aten, Loss.cpp). */
export function klDivergence(tape: Tape, input: Tensor, target: Tensor): Tensor {
  return mul(tape, exp(tape, target), subtract(tape, target, input));
}

/** The sizes of a CTC loss. */
interface CtcShape {
  readonly batch: number;
  readonly frames: number;
  /** Labels in the longest row. */
  readonly labels: number;
}

/**
 * torch's ctc_loss: keeps the log-probabilities, and a number per frame and position between labels and blanks; in
 * backward as many again, and the gradient (aten/native/cuda/LossCTC.cu).
 */
export function ctcLoss(tape: Tape, logProbabilities: Tensor, { batch, frames, labels }: CtcShape): Tensor {
  const places = batch * frames * (2 * labels + 1);
  const node = tape.record(logProbabilities);
  const losses = tape.empty(batch, logProbabilities.dtype);
  const alphas = tape.empty(places, logProbabilities.dtype);
  if (node) {
    for (const kept of [logProbabilities, losses, alphas]) node.save(kept);
    node.backward = () => {
      const betas = tape.workspace(places * bytesPer(logProbabilities.dtype));
      return [tape.done(tape.like(logProbabilities), betas)];
    };
  }
  for (const one of [losses, alphas]) tape.spend(one);
  return tape.done(tape.empty(1, logProbabilities.dtype, node), logProbabilities);
}

import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import type { Parameter, Tensor } from '../tensor';
import { notesProduct } from '../work';

/* Operations of Megatron's core and Transformer Engine, whose autograd functions define what they keep. */

/**
 * A product with this rank's part of the tokens as input: gathers all tokens, and again in backward; keeps only the
 * part (megatron/core/tensor_parallel/layers.py, LinearWithGradAccumulationAndAsyncCommunication). In fp8 that is a
 * copy with one byte per element (Transformer Engine 2, module/linear.py, inputmat of an fp8 recipe). A frozen weight
 * keeps no input (LinearWithFrozenWeight).
 */
export function columnLinear(
  tape: Tape,
  x: Tensor,
  [weight, bias]: readonly [Parameter, Parameter | null],
  { ranks: { sequence: ranks = 1 }, numbers: { inFp8 = false } }: Pick<MemoryRun, 'ranks' | 'numbers'>,
): Tensor {
  const [outputs = 1, inputs = 1] = weight.shape;
  const tokens = (x.elements / inputs) * ranks;
  const gathered = (): Tensor | null => (ranks > 1 ? tape.empty(x.elements * ranks, x.dtype) : null);
  const node = bias ? tape.record(x, weight, bias) : tape.record(x, weight);
  const all = gathered();
  if (node) {
    const trained = weight.node !== null;
    if (trained) {
      const kept = inFp8 ? tape.empty(x.elements, 'uint8') : tape.view(x, x.elements);
      node.save(kept);
      tape.spend(kept);
    }
    node.save(weight);
    node.backward = grad => {
      const again = trained ? gathered() : null;
      const whole = tape.empty(x.elements * ranks, grad.dtype);
      const own = ranks > 1 ? tape.done(tape.like(x), whole) : whole;
      const ofWeight = trained ? tape.like(weight) : null;
      if (again) tape.spend(again);
      return bias ? [own, ofWeight, bias.node && tape.like(bias)] : [own, ofWeight];
    };
  }
  const result = tape.output('product', tokens * outputs, x.dtype, node);
  const arithmetic = inFp8 ? 'fp8' : x.dtype === 'fp32' ? 'fp32' : 'half';
  notesProduct(tape, node, { rows: tokens, inputs, outputs, groups: 1, arithmetic }, [x, weight]);
  if (all) tape.spend(all);
  return tape.done(result, x);
}

/** `residual + dropout(x + bias)` in one kernel (core/fusions/fused_bias_dropout.py): keeps the dropout's mask. */
export function biasDropoutAdd(tape: Tape, x: Tensor, residual: Tensor, rate: number): Tensor {
  const node = tape.record(x, residual);
  const mask = rate > 0 ? tape.empty(x.elements, 'bool') : null;
  if (node) {
    if (mask) node.save(mask);
    node.backward = grad => [mask ? tape.like(x) : grad, grad];
  }
  if (mask) tape.spend(mask);
  return tape.done(tape.like(x, node), x, residual);
}

/** gelu(x + bias), in one kernel: keeps x (core/fusions/fused_bias_gelu.py). */
export function biasActivation(tape: Tape, x: Tensor): Tensor {
  const node = tape.record(x);
  if (node) {
    node.save(x);
    node.backward = () => [tape.like(x)];
  }
  return tape.done(tape.like(x, node), x);
}

/** silu of one half times the other: keeps both (core/fusions/fused_bias_swiglu.py). */
export function fusedSwiglu(tape: Tape, x: Tensor): Tensor {
  const node = tape.record(x);
  if (node) {
    node.save(x);
    node.backward = () => [tape.like(x)];
  }
  return tape.done(tape.empty(x.elements / 2, x.dtype, node), x);
}

/** Tokens sent to other ranks, or reordered: a copy, also in backward; keeps nothing. */
export function moved(tape: Tape, x: Tensor, elements: number): Tensor {
  const node = tape.record(x);
  if (node) node.backward = () => [tape.like(x)];
  return tape.done(tape.empty(elements, x.dtype, node), x);
}

/**
 * Cross entropy over a rank's part of the vocabulary: upcasts logits, and replaces them with their softmax and then
 * its gradient in place (core/tensor_parallel/cross_entropy.py). `isCompiled`: the same functions under torch.compile
 * (core/fusions/fused_cross_entropy.py, calculate_gradients): Inductor subtracts at the labels in a copy of the softmax,
 * as the code that it generates for CUDA shows (torch 2.15).
 */
export function vocabParallelLoss(tape: Tape, logits: Tensor, targets: Tensor, isCompiled: boolean): Tensor {
  const node = tape.record(logits);
  const softmax = tape.empty(logits.elements, 'fp32');
  if (node) {
    node.save(softmax);
    node.save(targets);
    node.backward = () => {
      const widened = tape.view(softmax, softmax.elements);
      const copied = isCompiled ? tape.empty(logits.elements, 'fp32') : null;
      const gradient = tape.done(tape.like(logits), widened);
      if (copied) tape.spend(copied);
      return [gradient];
    };
  }
  tape.spend(softmax);
  return tape.done(tape.empty(targets.elements, 'fp32', node), logits, targets);
}

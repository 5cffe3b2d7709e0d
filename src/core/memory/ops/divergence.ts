import type { Tape } from '../tape';
import type { Tensor } from '../tensor';
import { exp, mul, subtract } from './pointwise';

/**
 * `logsumexp(stack([a + c, b + d]), dim=0)`: keeps the stack and its result; backwards `grad * exp(stack - result)`, of
 * which each operand gets a half (torch, tools/autograd/derivatives.yaml, logsumexp and stack).
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

import type { Step } from '../modules';
import { activation, add, cube, mul, relu, scale, shift, sigmoid, square, tanh } from '../ops/pointwise';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';

/** Activations by name; all others are one kernel that keeps its input. */
const ACTIVATIONS: Readonly<Record<string, Step>> = {
  relu,
  relu2: squaredRelu,
  xielu,
  gelu_new: newGelu,
  gelu_fast: newGelu,
};

/** The activation with this name (transformers, activations.py). */
export function activationNamed(name: string | null): Step {
  return ACTIVATIONS[name ?? ''] ?? activation;
}

/** NewGELUActivation: `0.5 * x * (1.0 + tanh(c * (x + 0.044715 * pow(x, 3.0))))` */
function newGelu(tape: Tape, input: Tensor): Tensor {
  return tape.call([input], () => {
    const half = scale(tape, input);
    const inner = scale(tape, add(tape, input, scale(tape, cube(tape, input))));
    return mul(tape, half, shift(tape, tanh(tape, inner)));
  });
}

/** ReLUSquaredActivation */
function squaredRelu(tape: Tape, input: Tensor): Tensor {
  return tape.call([input], () => square(tape, tape.name(relu(tape, input))));
}

/**
 * XIELUActivation in Python: `where(x > 0, a·x·x + b·x, (expm1(min(x, eps)) - x)·c + b·x)`; its numbers are
 * parameters, so products keep their factors.
 */
function xielu(tape: Tape, input: Tensor): Tensor {
  return tape.call([input], () => {
    const condition = tape.empty(input.elements, 'bool');
    const above = add(tape, mul(tape, scale(tape, input), input), scale(tape, input));
    const least = add(tape, sigmoid(tape, scale(tape, input)), input);
    const below = add(tape, scale(tape, least), scale(tape, input));
    return tape.done(add(tape, above, below), condition);
  });
}

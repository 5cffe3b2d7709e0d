import { promoted } from '../tensor';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';
import { widen } from '../transforms/autocast';
import { interpolate } from './interpolate';

/** `interpolate` as autocast runs it since torch 2.4: in fp32 (aten/src/ATen/autocast_mode.h, upsample_nearest2d and others). */
export function upsample(tape: Tape, x: Tensor, elements: number): Tensor {
  return tape.call([x], () => interpolate(tape, widen(tape, x), elements));
}

/** Concatenation of tensors of different types: the widest of them, without casts of their own; backwards views. */
export function catWidest(tape: Tape, parts: readonly Tensor[]): Tensor {
  const node = tape.record(...parts);
  if (node) node.backward = grad => parts.map(part => part.node && tape.view(grad, part.elements));
  const elements = parts.reduce((sum, part) => sum + part.elements, 0);
  const [first] = parts;
  const dtype = parts.reduce(
    (widest, part) => promoted({ ...part, dtype: widest }, part),
    first?.dtype ?? 'fp32',
  );
  return tape.done(tape.empty(elements, dtype, node), ...parts);
}

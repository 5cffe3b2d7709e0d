import type { Tape } from '../tape';
import type { Tensor } from '../tensor';
import { promoted } from '../tensor';
import { widen } from '../transforms/autocast';

/** max_pool2d_with_indices: keeps its input and the int64 indices of the maxima. */
export function maxPool(tape: Tape, x: Tensor, elements: number): Tensor {
  const node = tape.record(x);
  const result = tape.empty(elements, x.dtype, node);
  const indices = tape.empty(elements, 'int64');
  if (node) {
    node.save(x);
    node.save(indices);
    node.backward = () => [tape.like(x)];
  }
  tape.spend(indices);
  return tape.done(result, x);
}

/** avg_pool2d, adaptive_avg_pool2d: keep their input. */
export function averagePool(tape: Tape, x: Tensor, elements: number): Tensor {
  const node = tape.record(x);
  if (node) {
    node.save(x);
    node.backward = () => [tape.like(x)];
  }
  return tape.done(tape.empty(elements, x.dtype, node), x);
}

/**
 * `interpolate` under autocast since torch 2.4: in fp32 (aten/src/ATen/autocast_mode.h, upsample_nearest2d and
 * others).
 */
export function upsample(tape: Tape, x: Tensor, elements: number): Tensor {
  return tape.call([x], () => interpolate(tape, widen(tape, x), elements));
}

/**
 * Concatenation of tensors with different dtypes: promotes to the widest, without separate casts; views in
 * backward.
 */
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

/** interpolate (nearest, bilinear, bicubic): keeps nothing. */
export function interpolate(tape: Tape, x: Tensor, elements: number): Tensor {
  const node = tape.record(x);
  if (node) node.backward = () => [tape.like(x)];
  return tape.done(tape.empty(elements, x.dtype, node), x);
}

import type { Machine } from './machine';
import type { Args, Tensor, Value } from './values';
import { isTensor, raise } from './values';

/** A function of torch: the first argument of a method is its tensor. */
export type TorchFunction = (machine: Machine, args: Args) => Value;

/** The first argument, as a tensor. */
export function tensorIn({ list: [first], named }: Args, name = 'input'): Tensor {
  const x = first ?? named.get(name) ?? named.get('x');
  return isTensor(x) ? x : raise('a tensor is not known');
}

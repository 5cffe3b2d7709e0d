import { Node, keepInNode } from './autograd';
import type { Storage } from './ledger';
import type { Parameter } from './tensor';
import { ACTIVATIONS } from './terms';
import type { Whole } from './transforms/shards';

/** A parameter that lies in a storage, with a node that its gradients arrive at where it is trained. */
export function parameterOf(
  { shape, elements, dtype, trainable }: Whole,
  storage: Storage,
  copies: number,
): Parameter {
  const node = trainable ? new Node([], keepInNode, ACTIVATIONS) : null;
  // Written out: there are many, and a spread is slow.
  const parameter: Parameter = {
    storage,
    elements,
    dtype,
    node,
    slot: 0,
    holders: 1,
    uses: 0,
    grad: null,
    shape,
    copies,
    trainable,
  };
  if (node) node.leaf = parameter;
  return parameter;
}

import type { TorchFunction } from './torchFunction';
import { isTensor, raise } from './values';

/** A loss over its input: in fp32; keeps its input and, over classes, the logarithms of the softmax. */
const loss =
  (hasSoftmax: boolean): TorchFunction =>
  ({ trace }, { list, named }) => {
    const tensors = [...list, ...named.values()].filter(isTensor);
    const [x] = tensors;
    if (!x) return raise('a tensor is not known');
    if (hasSoftmax && x.grad) trace.keep(trace.result(x.shape, [x], false));
    const result = trace.result([], tensors, false);
    if (result.grad) trace.keep(x, 'wide');
    return result;
  };

/** Losses of torch.nn.functional. */
export const losses: Readonly<Record<string, TorchFunction>> = {
  cross_entropy: loss(true),
  nll_loss: loss(false),
  mse_loss: loss(false),
  l1_loss: loss(false),
  smooth_l1_loss: loss(false),
  huber_loss: loss(false),
  kl_div: loss(false),
  binary_cross_entropy: loss(false),
  binary_cross_entropy_with_logits: loss(false),
};

import type { Tape } from '../tape';
import { bytesPer } from '../tensor';
import type { Parameter, Tensor } from '../tensor';
import type { Builder } from '../modules';

/** Weight and bias of a BatchNorm. */
export interface BatchNorm {
  readonly weight: Parameter;
  readonly bias: Parameter;
}

/** torch.nn.BatchNorm2d with its buffers: running mean and variance, and the number of batches. */
export function buildBatchNorm(builder: Builder, channels: number): BatchNorm {
  const norm = { weight: builder.vector(channels), bias: builder.vector(channels) };
  for (let i = 0; i < 2; i++) builder.buffer(channels * bytesPer(norm.weight.dtype));
  builder.buffer(bytesPer('int64'));
  return norm;
}

/** native_batch_norm: keeps its input, and mean and reciprocal deviation of each channel in fp32. */
export function batchNorm(tape: Tape, x: Tensor, { weight, bias }: BatchNorm): Tensor {
  const node = tape.record(x, weight, bias);
  const result = tape.like(x, node);
  // In evaluation its own averages serve.
  const statistics = tape.evaluates
    ? []
    : [tape.empty(weight.elements, 'fp32'), tape.empty(weight.elements, 'fp32')];
  if (node) {
    for (const kept of [x, weight, ...statistics]) node.save(kept);
    node.backward = () => [x, weight, bias].map(of => of.node && tape.like(of));
  }
  for (const each of statistics) tape.spend(each);
  return tape.done(result, x);
}

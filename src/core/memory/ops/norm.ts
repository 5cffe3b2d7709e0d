import type { Tape } from '../tape';
import type { Parameter, Tensor } from '../tensor';
import { widen } from '../transforms/autocast';
import { bytesPer } from '../tensor';
import type { Builder } from '../modules';

/** Weight and bias of a LayerNorm. */
export interface LayerNorm {
  readonly weight: Parameter;
  readonly bias: Parameter | null;
}

/**
 * native_layer_norm: keeps its input, and mean and reciprocal deviation per row in fp32. Autocast runs it in fp32.
 * Copies inputs that are laid out `by head`, in both directions (layer_norm_kernel.cu, expect_contiguous).
 */
export function layerNorm(
  tape: Tape,
  input: Tensor,
  { weight, bias }: LayerNorm,
  layout: 'in order' | 'by head' = 'in order',
): Tensor {
  const [width = 1] = weight.shape;
  return tape.call([input], () => {
    const wide = (x: Tensor): Tensor => tape.name(widen(tape, x));
    const b = bias && wide(bias);
    const w = wide(weight);
    const x = wide(input);
    const node = b ? tape.record(x, w, b) : tape.record(x, w);
    if (layout === 'by head') tape.name(tape.like(x));
    const result = tape.like(x, node);
    const rows = x.elements / width;
    const statistics = [tape.name(tape.empty(rows, 'fp32')), tape.name(tape.empty(rows, 'fp32'))];
    if (node) {
      for (const kept of [x, w, ...(b ? [b] : []), ...statistics]) node.save(kept);
      const gradient = (of: Tensor): Tensor | null => of.node && tape.like(of);
      node.backward = () => {
        const ordered = layout === 'by head' ? tape.like(x) : null;
        const gradients = (b ? [x, w, b] : [x, w]).map(gradient);
        if (ordered) tape.spend(ordered);
        return gradients;
      };
    }
    return result;
  });
}

/** The same without autocast, over copies of the weights. */
export function layerNormIn(
  tape: Tape,
  x: Tensor,
  { weight, bias, width }: { readonly weight: Tensor; readonly bias: Tensor | null; readonly width: number },
): Tensor {
  return tape.call([x], () => {
    const inputs = bias ? [x, weight, bias] : [x, weight];
    const node = tape.record(...inputs);
    const result = tape.like(x, node);
    const statistics = [0, 1].map(() => tape.name(tape.empty(x.elements / width, 'fp32')));
    if (node) {
      for (const kept of [...inputs, ...statistics]) node.save(kept);
      node.backward = () => inputs.map(of => of.node && tape.like(of));
    }
    return result;
  });
}

/**
 * torch.nn.RMSNorm as one kernel (aten _fused_rms_norm): keeps its input, its weight and one fp32 number per row.
 * Autocast runs it in fp32 (aten/src/ATen/autocast_mode.h).
 */
export function rmsNormKernel(tape: Tape, input: Tensor, weight: Parameter): Tensor {
  const [width = 1] = weight.shape;
  return tape.call([input], () => {
    const w = tape.name(widen(tape, weight));
    const x = tape.name(widen(tape, input));
    const node = tape.record(x, w);
    const result = tape.like(x, node);
    const deviations = tape.name(tape.empty(x.elements / width, 'fp32'));
    if (node) {
      for (const kept of [x, w, deviations]) node.save(kept);
      node.backward = () => [x.node && tape.like(x), w.node && tape.like(w)];
    }
    return result;
  });
}

/**
 * LayerNorm without weights: keeps its input, and two fp32 numbers per row of `width`. Autocast runs it in fp32.
 */
export function plainLayerNorm(tape: Tape, input: Tensor, width: number): Tensor {
  return tape.call([input], () => {
    const x = tape.name(widen(tape, input));
    const node = tape.record(x);
    const result = tape.like(x, node);
    const statistics = [0, 1].map(() => tape.name(tape.empty(x.elements / width, 'fp32')));
    if (node) {
      for (const kept of [x, ...statistics]) node.save(kept);
      node.backward = () => [tape.like(x)];
    }
    return result;
  });
}

/** A GroupNorm's parameters, and the number of groups in a batch. */
interface GroupNorm {
  readonly weight: Parameter;
  readonly bias: Parameter;
  readonly groups: number;
}

/** native_group_norm: keeps its input, and mean and reciprocal deviation per group. Autocast runs it in fp32. */
export function groupNorm(tape: Tape, input: Tensor, { weight, bias, groups }: GroupNorm): Tensor {
  return tape.call([input], () => {
    const wide = (x: Tensor): Tensor => tape.name(widen(tape, x));
    const inputs = [wide(input), wide(weight), wide(bias)];
    const [x = input] = inputs;
    const node = tape.record(...inputs);
    const result = tape.like(x, node);
    const statistics = [tape.name(tape.empty(groups, x.dtype)), tape.name(tape.empty(groups, x.dtype))];
    if (node) {
      for (const kept of [x, weight, ...statistics]) node.save(kept);
      node.backward = () => inputs.map(of => of.node && tape.like(of));
    }
    return result;
  });
}

/** Weight and bias of a BatchNorm. */
interface BatchNorm {
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

/** native_batch_norm: keeps its input, and mean and reciprocal deviation per channel in fp32. */
export function batchNorm(tape: Tape, x: Tensor, { weight, bias }: BatchNorm): Tensor {
  const node = tape.record(x, weight, bias);
  const result = tape.like(x, node);
  // Evaluation uses the running averages.
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

/**
 * torch._weight_norm: a weight from directions and magnitudes, with a norm per magnitude; keeps all three, and
 * computes both gradients at once in backward (derivatives.yaml, _weight_norm_interface).
 */
export function weightNorm(tape: Tape, directions: Parameter, lengths: Parameter): Tensor {
  const node = tape.record(directions, lengths);
  const weight = tape.empty(directions.elements, directions.dtype, node);
  const norms = tape.empty(lengths.elements, 'fp32');
  if (node) {
    for (const kept of [directions, lengths, norms]) node.save(kept);
    node.backward = () => [tape.like(directions), tape.like(lengths)];
  }
  tape.spend(norms);
  return weight;
}

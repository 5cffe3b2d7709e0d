import { functions } from './functional';
import type { Machine } from './machine';
import { convolved, imageOf, windowed } from './windows';
import type { Window } from './windows';
import { normed, product } from './tensors';
import { tensorIn } from './torchFunction';
import { elementsOf, Instance, raise, Reader, sizesOf } from './values';
import type { Args, Tensor, Value } from './values';
import { convolutionWork, linearWork } from './work';

/** Makes a layer from the arguments of its class. */
export type MakeLayer = (machine: Machine, args: Args) => Instance;

/** A layer with these parameters, whose attributes its users read. */
export function layerOf(
  name: string,
  parameters: readonly Tensor[],
  run: (args: Args) => Value,
  attributes: Readonly<Record<string, Value>> = {},
): Instance {
  const made = new Instance(null, { name, parameters, run });
  for (const [key, value] of Object.entries(attributes)) made.attributes.set(key, value);
  return made;
}

const linear: MakeLayer = ({ trace }, args) => {
  const reader = new Reader(args, ['in_features', 'out_features', 'bias']);
  const [inputs, outputs] = [reader.number('in_features'), reader.number('out_features')];
  const weight = trace.parameter([outputs, inputs]);
  const bias = reader.flag('bias', true) ? [trace.parameter([outputs])] : [];
  return layerOf(
    'Linear',
    [weight, ...bias],
    given => {
      const x = tensorIn(given);
      if (x.shape.at(-1) !== inputs) raise('a linear layer of another size');
      return product(trace, [x, weight], [...x.shape.slice(0, -1), outputs], linearWork(x, outputs));
    },
    { in_features: inputs, out_features: outputs },
  );
};

const CONVOLUTION = [
  'in_channels',
  'out_channels',
  'kernel_size',
  'stride',
  'padding',
  'dilation',
  'groups',
  'bias',
];

const convolution =
  (rank: number): MakeLayer =>
  ({ trace }, args) => {
    const reader = new Reader(args, CONVOLUTION);
    const [inputs, outputs] = [reader.number('in_channels'), reader.number('out_channels')];
    const kernel = reader.sizes('kernel_size', rank);
    const groups = reader.number('groups', 1);
    const padding = reader.get('padding', 0);
    const window: Window = {
      kernel,
      stride: reader.sizes('stride', rank, 1),
      padding: padding === 'same' ? 'same' : padding === 'valid' ? sizesOf(0, rank) : sizesOf(padding, rank),
      dilation: reader.sizes('dilation', rank, 1),
    };
    const weight = trace.parameter([outputs, inputs / groups, ...kernel]);
    const bias = reader.flag('bias', true) ? [trace.parameter([outputs])] : [];
    const run = (given: Args): Value => {
      const x = tensorIn(given);
      if (imageOf(x, rank).channels !== inputs) raise('a convolution of other channels');
      return convolved(trace, x, weight, outputs, window);
    };
    return layerOf(`Conv${rank}d`, [weight, ...bias], run, {
      in_channels: inputs,
      out_channels: outputs,
      kernel_size: [...kernel],
      stride: [...window.stride],
    });
  };

const TRANSPOSED = [...CONVOLUTION.slice(0, 5), 'output_padding', 'groups', 'bias', 'dilation'];

const transposed =
  (rank: number): MakeLayer =>
  ({ trace }, args) => {
    const reader = new Reader(args, TRANSPOSED);
    const [inputs, outputs] = [reader.number('in_channels'), reader.number('out_channels')];
    const kernel = reader.sizes('kernel_size', rank);
    const stride = reader.sizes('stride', rank, 1);
    const padding = reader.sizes('padding', rank, 0);
    const more = reader.sizes('output_padding', rank, 0);
    const dilation = reader.sizes('dilation', rank, 1);
    const weight = trace.parameter([inputs, outputs / reader.number('groups', 1), ...kernel]);
    const bias = reader.flag('bias', true) ? [trace.parameter([outputs])] : [];
    const run = (given: Args): Value => {
      const x = tensorIn(given);
      const { lead, channels, sides } = imageOf(x, rank);
      if (channels !== inputs) raise('a convolution of other channels');
      const found = sides.map((side, at) => {
        const reach = (dilation[at] ?? 1) * ((kernel[at] ?? 1) - 1) + (more[at] ?? 0) + 1;
        return (side - 1) * (stride[at] ?? 1) - 2 * (padding[at] ?? 0) + reach;
      });
      const shape = [...lead, outputs, ...found];
      // Each position of the input makes a window of the result: backward of the convolution from the result to the input.
      return product(trace, [x, weight], shape, convolutionWork(weight, inputs, x.shape, shape));
    };
    return layerOf(`ConvTranspose${rank}d`, [weight, ...bias], run, {
      in_channels: inputs,
      out_channels: outputs,
    });
  };

/** A norm with a weight and a bias per channel, or over the last dimensions. */
const norm =
  (names: readonly string[], affine: boolean, sizeName: string, hasBias = true): MakeLayer =>
  ({ trace }, args) => {
    const reader = new Reader(args, names);
    const size = sizesOf(reader.get(sizeName), 1, sizeName);
    const hasWeight = reader.flag('affine', reader.flag('elementwise_affine', affine));
    const weight = hasWeight ? [trace.parameter(size)] : [];
    const isTrained = (): boolean => weight.some(one => trace.trains(one));
    const bias = hasWeight && hasBias && reader.flag('bias', true) ? [trace.parameter(size)] : [];
    const isLast = sizeName === 'normalized_shape';
    const run = (given: Args): Value => {
      const x = tensorIn(given);
      const here = isLast ? elementsOf(x.shape.slice(-size.length)) : (x.shape[1] ?? 0);
      if (here !== elementsOf(size)) raise('a norm of another size');
      // BatchNorm computes in the dtype of its input.
      if (!names.includes('momentum')) return normed(trace, x, isTrained());
      const result = { ...trace.result(x.shape, [x]), grad: trace.records && (x.grad || isTrained()) };
      if (result.grad) trace.keep(x);
      return result;
    };
    return layerOf('Norm', [...weight, ...bias], run, { [sizeName]: size[0] ?? 0 });
  };

const BATCH_NORM = ['num_features', 'eps', 'momentum', 'affine'];
const LAYER_NORM = ['normalized_shape', 'eps', 'elementwise_affine', 'bias'];

const embedding: MakeLayer = ({ trace }, args) => {
  const reader = new Reader(args, ['num_embeddings', 'embedding_dim']);
  const [rows, width] = [reader.number('num_embeddings'), reader.number('embedding_dim')];
  const weight = trace.parameter([rows, width]);
  const run = (given: Args): Value => {
    const ids = tensorIn(given);
    if (ids.storage.kind === 'float' && ids.shape.length > 2) raise('an embedding of no ids');
    trace.keep(ids);
    return trace.result([...ids.shape, width], [weight], false);
  };
  return layerOf('Embedding', [weight], run, { num_embeddings: rows, embedding_dim: width });
};

/** A layer without parameters that is a function of torch, with the arguments of its class. */
const applied =
  (name: string, names: readonly string[], known = name): MakeLayer =>
  (machine, args) => {
    const reader = new Reader(args, names);
    const own = names.flatMap(key => {
      const value = reader.get(key);
      return value === null ? [] : [[key, value] as const];
    });
    return layerOf(name, [], ({ list }) => {
      const run = functions[known] ?? raise(`${known} is not known`);
      return run(machine, { list: list.slice(0, 2), named: new Map(own) });
    });
  };

/** torch.nn.Flatten keeps the batch. */
const flatten: MakeLayer = (machine, args) => {
  const reader = new Reader(args, ['start_dim', 'end_dim']);
  const named = new Map<string, Value>([
    ['start_dim', reader.number('start_dim', 1)],
    ['end_dim', reader.number('end_dim', -1)],
  ]);
  return layerOf('Flatten', [], ({ list }) => functions['flatten']?.(machine, { list, named }) ?? null);
};

const identity: MakeLayer = () => layerOf('Identity', [], ({ list: [x = null] }) => x);

const padding =
  (rank: number): MakeLayer =>
  ({ trace }, args) => {
    const given = sizesOf(new Reader(args, ['padding']).get('padding'), 2 * rank);
    return layerOf('Pad', [], at => {
      const x = tensorIn(at);
      const shape = [...x.shape];
      for (let side = 0; side < rank; side++) {
        const dim = shape.length - 1 - side;
        shape[dim] = (shape[dim] ?? 0) + (given[2 * side] ?? 0) + (given[2 * side + 1] ?? 0);
      }
      return trace.result(shape, [x]);
    });
  };

/** A leaky ReLU with a trained slope. */
const prelu: MakeLayer = ({ trace }, args) => {
  const slope = trace.parameter([new Reader(args, ['num_parameters']).number('num_parameters', 1)]);
  return layerOf('PReLU', [slope], given => {
    const x = tensorIn(given);
    trace.keep(x);
    return { ...trace.result(x.shape, [x]), grad: trace.records };
  });
};

const unfold: MakeLayer = ({ trace }, args) => {
  const reader = new Reader(args, ['kernel_size', 'dilation', 'padding', 'stride']);
  const kernel = reader.sizes('kernel_size', 2);
  const window = {
    kernel,
    stride: reader.sizes('stride', 2, 1),
    padding: reader.sizes('padding', 2, 0),
    dilation: reader.sizes('dilation', 2, 1),
  };
  return layerOf('Unfold', [], given => {
    const x = tensorIn(given);
    const { lead, channels, sides } = imageOf(x, 2);
    return trace.result([...lead, channels * elementsOf(kernel), elementsOf(windowed(sides, window))], [x]);
  });
};

const group = (names: string, make: MakeLayer): Record<string, MakeLayer> =>
  Object.fromEntries(names.split(' ').map(name => [name, make]));

const POOL = ['kernel_size', 'stride', 'padding'];
const byRank = (name: string, make: (rank: number) => MakeLayer): Record<string, MakeLayer> =>
  Object.fromEntries([1, 2, 3].map(rank => [`${name}${rank}d`, make(rank)]));
const pools = (name: string, of: string, names: readonly string[]): Record<string, MakeLayer> =>
  byRank(name, rank => applied(`${name}${rank}d`, names, `${of}${rank}d`));

/** Layers of torch.nn with what they compute, by class. */
export const layers: Readonly<Record<string, MakeLayer>> = {
  Linear: linear,
  ...byRank('Conv', convolution),
  ...byRank('ConvTranspose', transposed),
  ...group('BatchNorm1d BatchNorm2d BatchNorm3d SyncBatchNorm', norm(BATCH_NORM, true, 'num_features')),
  ...group('InstanceNorm1d InstanceNorm2d InstanceNorm3d', norm(BATCH_NORM, false, 'num_features')),
  GroupNorm: norm(['num_groups', 'num_channels', 'eps', 'affine'], true, 'num_channels'),
  LayerNorm: norm(LAYER_NORM, true, 'normalized_shape'),
  RMSNorm: norm(LAYER_NORM, true, 'normalized_shape', false),
  Embedding: embedding,
  PReLU: prelu,
  Flatten: flatten,
  Unfold: unfold,
  Unflatten: applied('Unflatten', ['dim', 'unflattened_size'], 'unflatten'),
  ...group('Dropout Dropout1d Dropout2d Dropout3d AlphaDropout', applied('Dropout', ['p'], 'dropout')),
  ...group('Identity DropPath StochasticDepth ChannelShuffle', identity),
  ...group('ReLU ReLU6 Hardtanh', applied('ReLU', ['inplace'], 'relu')),
  ...group('GELU SiLU Mish Hardswish Softplus QuickGELU', applied('SiLU', ['inplace'], 'silu')),
  ...group('LeakyReLU ELU SELU CELU', applied('LeakyReLU', ['slope', 'inplace'], 'leaky_relu')),
  Sigmoid: applied('Sigmoid', [], 'sigmoid'),
  Hardsigmoid: applied('Hardsigmoid', [], 'silu'),
  Tanh: applied('Tanh', [], 'tanh'),
  ...group('Softmax LogSoftmax Softmax2d', applied('Softmax', [], 'softmax')),
  ...pools('MaxPool', 'max_pool', [...POOL, 'dilation', 'return_indices', 'ceil_mode']),
  ...pools('AvgPool', 'avg_pool', [...POOL, 'ceil_mode']),
  ...pools('AdaptiveAvgPool', 'adaptive_avg_pool', ['output_size']),
  ...pools('AdaptiveMaxPool', 'adaptive_max_pool', ['output_size']),
  Upsample: applied('Upsample', ['size', 'scale_factor'], 'interpolate'),
  ...group(
    'UpsamplingBilinear2d UpsamplingNearest2d',
    applied('Upsample', ['size', 'scale_factor'], 'interpolate'),
  ),
  PixelShuffle: applied('PixelShuffle', ['upscale_factor'], 'pixel_shuffle'),
  ...group('ConstantPad1d ZeroPad1d ReflectionPad1d ReplicationPad1d', padding(1)),
  ...group('ConstantPad2d ZeroPad2d ReflectionPad2d ReplicationPad2d', padding(2)),
  ...group('ConstantPad3d ReplicationPad3d', padding(3)),
  ...group('CrossEntropyLoss NLLLoss', applied('Loss', [], 'cross_entropy')),
  ...group(
    'MSELoss L1Loss SmoothL1Loss HuberLoss KLDivLoss BCELoss BCEWithLogitsLoss',
    applied('Loss', [], 'mse_loss'),
  ),
};

import { einsum, rearranged, repeated } from './einops';
import { concatenated, dimension, parts, reshape } from './tensors';
import { tensorIn } from './torchFunction';
import type { TorchFunction } from './torchFunction';
import { elementsOf, isTensor, Named, numberOf, raise, Reader, sizesOf } from './values';
import type { Args, Tensor, Value } from './values';

/** Sizes as separate arguments or as one list. */
function listed({ list, named }: Args, from = 1): readonly Value[] {
  const [first] = list.slice(from);
  if (Array.isArray(first)) return first;
  const byName = named.get('size') ?? named.get('shape') ?? named.get('dims');
  return Array.isArray(byName) ? byName : list.slice(from);
}

const view: TorchFunction = ({ trace }, args) => {
  const [x, target] = args.list;
  if (isTensor(x) && isTensor(target)) return trace.view(x, target.shape);
  return reshape(trace, tensorIn(args), listed(args));
};

const permute: TorchFunction = ({ trace }, args) => {
  const x = tensorIn(args);
  const order = listed(args).map(one => dimension(one, x.shape.length));
  if (order.length !== x.shape.length) raise('a permutation of other dimensions');
  return trace.view(
    x,
    order.map(at => x.shape[at] ?? 1),
  );
};

const transpose: TorchFunction = ({ trace }, args) => {
  const x = tensorIn(args);
  const rank = x.shape.length;
  const reader = new Reader(args, ['input', 'dim0', 'dim1']);
  const [a, b] = [dimension(reader.get('dim0', 0), rank), dimension(reader.get('dim1', 1), rank)];
  return trace.view(x, x.shape.with(a, x.shape[b] ?? 1).with(b, x.shape[a] ?? 1));
};

const flatten: TorchFunction = ({ trace }, args) => {
  const x = tensorIn(args);
  const reader = new Reader(args, ['input', 'start_dim', 'end_dim']);
  const rank = x.shape.length;
  const from = dimension(reader.get('start_dim', 0), rank);
  const to = dimension(reader.get('end_dim', -1), rank);
  return trace.view(x, [
    ...x.shape.slice(0, from),
    elementsOf(x.shape.slice(from, to + 1)),
    ...x.shape.slice(to + 1),
  ]);
};

const unflatten: TorchFunction = ({ trace }, args) => {
  const x = tensorIn(args);
  const reader = new Reader(args, ['input', 'dim', 'sizes']);
  const at = dimension(reader.get('dim'), x.shape.length);
  const sizes = reader.get('sizes', reader.get('unflattened_size'));
  const all = [...x.shape.slice(0, at), ...(Array.isArray(sizes) ? sizes : []), ...x.shape.slice(at + 1)];
  return reshape(trace, x, all);
};

const unsqueeze: TorchFunction = ({ trace }, args) => {
  const x = tensorIn(args);
  const dim = new Reader(args, ['input', 'dim']).number('dim', 0);
  return trace.view(x, x.shape.toSpliced(dim < 0 ? dim + x.shape.length + 1 : dim, 0, 1));
};

const squeeze: TorchFunction = ({ trace }, args) => {
  const x = tensorIn(args);
  const dim = new Reader(args, ['input', 'dim']).get('dim');
  if (dim === null) {
    return trace.view(
      x,
      x.shape.filter(size => size !== 1),
    );
  }
  const at = dimension(dim, x.shape.length);
  return x.shape[at] === 1 ? trace.view(x, x.shape.toSpliced(at, 1)) : x;
};

const expand: TorchFunction = ({ trace }, args) => {
  const x = tensorIn(args);
  const [, like] = args.list;
  const sizes = isTensor(like) ? [...like.shape] : listed(args).map(one => numberOf(one));
  const missing = sizes.length - x.shape.length;
  return trace.view(
    x,
    sizes.map((size, at) => (size === -1 ? (x.shape[at - missing] ?? 1) : size)),
  );
};

const repeat: TorchFunction = ({ trace }, args) => {
  const x = tensorIn(args);
  const times = listed(args).map(one => numberOf(one));
  const missing = times.length - x.shape.length;
  const shape = times.map((count, at) => count * (x.shape[at - missing] ?? 1));
  return trace.result(shape, [x]);
};

const repeatInterleave: TorchFunction = ({ trace }, args) => {
  const x = tensorIn(args);
  const reader = new Reader(args, ['input', 'repeats', 'dim']);
  const times = reader.number('repeats');
  const dim = reader.get('dim');
  if (dim === null) return trace.result([elementsOf(x.shape) * times], [x]);
  const at = dimension(dim, x.shape.length);
  return trace.result(x.shape.with(at, (x.shape[at] ?? 1) * times), [x]);
};

const MOST_PARTS = 4096;

function partsOf(x: Tensor, at: number, size: Value): readonly number[] {
  if (Array.isArray(size)) return size.map(one => numberOf(one));
  const all = x.shape[at] ?? 0;
  const each = numberOf(size);
  const count = Math.ceil(all / Math.max(1, each));
  if (count > MOST_PARTS) raise('a tensor in too many parts');
  return Array.from({ length: count }, (_, index) => Math.min(each, all - index * each));
}

const chunk: TorchFunction = ({ trace }, args) => {
  const x = tensorIn(args);
  const reader = new Reader(args, ['input', 'chunks', 'dim']);
  const at = dimension(reader.get('dim', 0), x.shape.length);
  const each = Math.ceil((x.shape[at] ?? 0) / Math.max(1, reader.number('chunks', 1)));
  return parts(trace, x, at, partsOf(x, at, each));
};

const split: TorchFunction = ({ trace }, args) => {
  const x = tensorIn(args);
  const reader = new Reader(args, ['input', 'split_size', 'dim']);
  const at = dimension(reader.get('dim', 0), x.shape.length);
  return parts(trace, x, at, partsOf(x, at, reader.get('split_size', reader.get('split_size_or_sections'))));
};

const unbind: TorchFunction = ({ trace }, args) => {
  const x = tensorIn(args);
  const at = dimension(new Reader(args, ['input', 'dim']).get('dim', 0), x.shape.length);
  return Array.from({ length: Math.min(x.shape[at] ?? 0, 1024) }, () =>
    trace.view(x, x.shape.toSpliced(at, 1)),
  );
};

const cat: TorchFunction = ({ trace }, args) => {
  const reader = new Reader(args, ['tensors', 'dim']);
  const tensors = reader.get('tensors');
  const known = Array.isArray(tensors) ? tensors.filter(isTensor) : [];
  if (!Array.isArray(tensors) || known.length < tensors.length) return raise('a tensor is not known');
  return concatenated(trace, known, reader.get('dim', reader.get('axis', 0)));
};

const stack: TorchFunction = ({ trace }, args) => {
  const reader = new Reader(args, ['tensors', 'dim']);
  const tensors = reader.get('tensors');
  const known = Array.isArray(tensors) ? tensors.filter(isTensor) : [];
  const [first] = known;
  if (!first) return raise('a tensor is not known');
  const dim = reader.number('dim', 0);
  const at = dim < 0 ? dim + first.shape.length + 1 : dim;
  return trace.result(first.shape.toSpliced(at, 0, known.length), known);
};

const gather: TorchFunction = ({ trace }, args) => {
  const reader = new Reader(args, ['input', 'dim', 'index']);
  const index = reader.get('index');
  return isTensor(index) ? trace.result(index.shape, [tensorIn(args)]) : raise('an index is not known');
};

const like: TorchFunction = ({ trace }, args) => trace.result(tensorIn(args).shape, []);

/** A new tensor of these sizes, which no gradient flows into. */
const fresh =
  (kind: 'float' | 'integer', from = 0): TorchFunction =>
  ({ trace }, args) => {
    const isInteger = [...args.named.values()].some(
      value => value instanceof Named && /int|long/.test(value.path),
    );
    const sizes = listed(args, from)
      .filter(size => !(size instanceof Named))
      .map(size => numberOf(size, 'the size of a tensor'));
    return trace.input(sizes, isInteger ? 'integer' : kind);
  };

/** `torch.normal(mean, std, size)`, of tensors instead, or in place. */
const normal: TorchFunction = ({ trace }, args) => {
  const size = args.named.get('size') ?? args.list.find(Array.isArray);
  if (Array.isArray(size)) return trace.input(sizesOf(size, 1));
  const [first] = args.list.filter(isTensor);
  return first ? trace.result(first.shape, [first]) : raise('the size of a tensor is not known');
};

/** Distances between all rows of two tensors; keeps both and the result (derivatives.yaml, _cdist_forward). */
const cdist: TorchFunction = ({ trace }, args) => {
  const [a, b] = args.list;
  if (!isTensor(a) || !isTensor(b)) return raise('a tensor is not known');
  const result = trace.result([...a.shape.slice(0, -1), b.shape.at(-2) ?? 1], [a, b]);
  if (result.grad) for (const one of [a, b, result]) trace.keep(one);
  return result;
};

const oneHot: TorchFunction = ({ trace }, args) => {
  const classes = new Reader(args, ['input', 'num_classes']).number('num_classes');
  return trace.input([...tensorIn(args).shape, classes], 'integer');
};

const arange: TorchFunction = ({ trace }, args) => {
  const reader = new Reader(args, ['start', 'end', 'step']);
  const start = reader.number('start', 0);
  const end = reader.get('end') === null ? null : reader.number('end');
  const [from, to] = end === null ? [0, start] : [start, end];
  const count = Math.max(0, Math.ceil((to - from) / reader.number('step', 1)));
  return trace.input([count], 'integer');
};

const linspace: TorchFunction = ({ trace }, args) =>
  trace.input([new Reader(args, ['start', 'end', 'steps']).number('steps', 100)]);

/** `torch.tensor([[1, 2]])`: the shape of nested lists. */
const tensor: TorchFunction = ({ trace }, args) => {
  const shapeOf = (value: Value): number[] =>
    Array.isArray(value) ? [value.length, ...(value[0] === undefined ? [] : shapeOf(value[0]))] : [];
  const [value = null] = args.list;
  return isTensor(value) ? value : trace.input(shapeOf(value));
};

const pad: TorchFunction = ({ trace }, args) => {
  const x = tensorIn(args);
  const reader = new Reader(args, ['input', 'pad']);
  const sizes = sizesOf(reader.get('pad'), 2);
  const shape = [...x.shape];
  for (let at = 0; at * 2 < sizes.length; at++) {
    const dim = shape.length - 1 - at;
    shape[dim] = (shape[dim] ?? 0) + (sizes[at * 2] ?? 0) + (sizes[at * 2 + 1] ?? 0);
  }
  return trace.result(shape, [x]);
};

const meshgrid: TorchFunction = ({ trace }, args) => {
  const given = args.list.flatMap(one => (Array.isArray(one) ? one : [one])).filter(isTensor);
  const shape = given.map(one => one.shape[0] ?? 1);
  return given.map(() => trace.input(shape));
};

const sameShape: TorchFunction = ({ trace }, args) => {
  const x = tensorIn(args);
  return trace.result(x.shape, [x]);
};

/** Functions that change shapes. */
export const shapes: Readonly<Record<string, TorchFunction>> = {
  view,
  reshape: view,
  view_as: view,
  reshape_as: view,
  permute,
  transpose,
  swapaxes: transpose,
  t: transpose,
  flatten,
  unflatten,
  unsqueeze,
  squeeze,
  expand,
  expand_as: expand,
  broadcast_to: expand,
  repeat,
  tile: repeat,
  repeat_interleave: repeatInterleave,
  chunk,
  split,
  tensor_split: chunk,
  unbind,
  cat,
  concat: cat,
  concatenate: cat,
  stack,
  gather,
  arange,
  linspace,
  tensor,
  as_tensor: tensor,
  pad,
  meshgrid,
  zeros: fresh('float'),
  ones: fresh('float'),
  empty: fresh('float'),
  randn: fresh('float'),
  rand: fresh('float'),
  new_zeros: fresh('float', 1),
  new_ones: fresh('float', 1),
  new_empty: fresh('float', 1),
  Tensor: fresh('float'),
  FloatTensor: fresh('float'),
  LongTensor: fresh('integer'),
  normal,
  cdist,
  one_hot: oneHot,
  full: ({ trace }, args) => trace.input(sizesOf(args.list[0], 1)),
  randint: ({ trace }, args) =>
    trace.input(sizesOf(args.list.find(Array.isArray) ?? args.named.get('size'), 1), 'integer'),
  zeros_like: like,
  ones_like: like,
  empty_like: like,
  full_like: like,
  randn_like: like,
  rand_like: like,
  flip: sameShape,
  roll: sameShape,
  tril: sameShape,
  triu: sameShape,
  cumsum: sameShape,
  cumprod: sameShape,
  sort: ({ trace }, args) => [
    trace.result(tensorIn(args).shape, [tensorIn(args)]),
    trace.input(tensorIn(args).shape, 'integer'),
  ],
  where: ({ trace }, args) => {
    const tensors = args.list.filter(isTensor);
    const [first] = tensors;
    if (!first) return raise('a tensor is not known');
    return trace.result(
      tensors.reduce((most, one) => (one.shape.length > most.shape.length ? one : most)).shape,
      tensors,
    );
  },
  einsum,
  rearrange: rearranged,
  'repeat#einops': repeated,
};

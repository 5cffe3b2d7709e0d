import { losses } from './losses';
import type { Machine } from './machine';
import { shapes } from './shapeFunctions';
import { broadcast, elementwise, matmul, normed, product, reduced, wideResult } from './tensors';
import type { Keeps } from './tensors';
import { isTensor, Named, raise, Reader, UNKNOWN } from './values';
import type { Args, Value } from './values';
import { tensorIn } from './torchFunction';
import type { TorchFunction } from './torchFunction';
import { windows } from './windows';
import { attentionWork, linearWork } from './work';

/** `replaces`: in place, its derivative needs the result alone; else autograd keeps a copy of what was overwritten. */
const unary =
  (keeps: Keeps, replaces = true): TorchFunction =>
  ({ trace }, args) => {
    const x = tensorIn(args);
    if (args.named.get('inplace') !== true || !replaces) return elementwise(trace, keeps, [x]);
    if (x.grad && keeps !== 'none') trace.keep(x);
    return x;
  };

const pair =
  (keeps: Keeps): TorchFunction =>
  ({ trace }, args) =>
    elementwise(trace, keeps, args.list.filter(isTensor));

const same: TorchFunction = (_, args) => tensorIn(args);
const integers: TorchFunction = ({ trace }, args) =>
  trace.result(broadcast(args.list.filter(isTensor).map(({ shape }) => shape)), [], null, 'bool');

const reducing =
  (keeps: Keeps): TorchFunction =>
  ({ trace }, args) => {
    const reader = new Reader(args, ['input', 'dim', 'keepdim']);
    const x = tensorIn(args);
    const dims = reader.get('dim', reader.get('axis'));
    const result = trace.result(reduced(x, dims, reader.flag('keepdim', false)), [x]);
    if (result.grad && keeps === 'keep') trace.keep(x);
    return result;
  };

/** The largest elements along a dimension, and where they are. */
const extreme: TorchFunction = (machine, args) => {
  const [, second] = args.list;
  if (isTensor(second)) return elementwise(machine.trace, 'product', args.list.filter(isTensor));
  const values = reducing('keep')(machine, args);
  if (second === undefined && !args.named.has('dim')) return values;
  return isTensor(values) ? [values, machine.trace.result(values.shape, [], null, 'integer')] : UNKNOWN;
};

const indices: TorchFunction = ({ trace }, args) => {
  const reader = new Reader(args, ['input', 'dim', 'keepdim']);
  return trace.result(
    reduced(tensorIn(args), reader.get('dim'), reader.flag('keepdim', false)),
    [],
    null,
    'integer',
  );
};

function dropout({ trace }: Machine, args: Args): Value {
  const reader = new Reader(args, ['input', 'p', 'training']);
  const x = tensorIn(args);
  if (reader.number('p', 0.5) === 0 || !x.grad || reader.get('training') === false) return x;
  trace.keep(trace.result(x.shape, [], null, 'bool'));
  return trace.result(x.shape, [x]);
}

/** x · Wᵀ + b */
function linear({ trace }: Machine, args: Args): Value {
  const [x, weight] = args.list;
  if (!isTensor(x) || !isTensor(weight)) return raise('a tensor is not known');
  if (x.shape.at(-1) !== weight.shape[1]) raise('a linear layer of another size');
  const outputs = weight.shape[0] ?? 1;
  return product(trace, [x, weight], [...x.shape.slice(0, -1), outputs], linearWork(x, outputs));
}

/** Rows of a table: keeps their numbers. */
function embedding({ trace }: Machine, args: Args): Value {
  const reader = new Reader(args, ['input', 'weight']);
  const [ids, weight] = [tensorIn(args), reader.get('weight')];
  if (!isTensor(weight)) return raise('a table is not known');
  const result = trace.result([...ids.shape, weight.shape[1] ?? 1], [weight]);
  if (result.grad) trace.keep(ids);
  return result;
}

/** softmax(Q · Kᵀ) · V as one kernel: keeps its inputs and its result. */
function attention({ trace }: Machine, args: Args): Value {
  const [q, k, v] = args.list;
  if (!isTensor(q) || !isTensor(k) || !isTensor(v)) return raise('a tensor is not known');
  if (q.shape.at(-1) !== k.shape.at(-1)) raise('attention over other sizes');
  const result = trace.result([...q.shape.slice(0, -1), v.shape.at(-1) ?? 0], [q, k, v], true);
  if (result.grad) for (const one of [q, k, v, result]) trace.keep(one, 'low');
  trace.compute([attentionWork(q.shape, k.shape, v.shape.at(-1) ?? 0)], [q, k, v]);
  return result;
}

function norm({ trace }: Machine, args: Args): Value {
  return normed(trace, tensorIn(args), args.list.slice(1).some(isTensor));
}

const toType: TorchFunction = ({ trace }, args) => {
  const x = tensorIn(args);
  const names = [...args.list.slice(1), ...args.named.values()].filter(one => one instanceof Named);
  const isInteger = names.some(({ path }) => /int|long|bool/.test(path));
  return isInteger ? trace.result(x.shape, [], null, 'integer') : x;
};

const asInteger: TorchFunction = ({ trace }, args) => trace.result(tensorIn(args).shape, [], null, 'integer');

const named = (names: string, of: TorchFunction): Record<string, TorchFunction> =>
  Object.fromEntries(names.split(' ').map(name => [name, of]));

/** Functions of torch and methods of tensors, by name. */
export const functions: Readonly<Record<string, TorchFunction>> = {
  ...named('relu sigmoid tanh exp sqrt rsqrt relu6 hardtanh', unary('result')),
  ...named('elu leaky_relu selu celu glu_ logsigmoid', unary('keep')),
  ...named('gelu silu mish hardswish softplus hardsigmoid', unary('keep', false)),
  ...named('abs log log2 log10 log1p sin cos erf pow square clamp clip clamp_min clamp_max', unary('keep')),
  ...named('floor ceil round sign neg nan_to_num masked_fill where_ fill zero uniform', unary('none')),
  ...named('add sub subtract rsub', pair('none')),
  ...named('mul multiply div divide true_divide maximum minimum fmod remainder', pair('product')),
  ...named('contiguous clone cuda cpu float half double bfloat16 requires_grad type_as to_dense', same),
  ...named('eq ne lt gt le ge logical_and logical_or logical_not isnan isinf isfinite', integers),
  ...named('mean sum', reducing('none')),
  ...named('std var norm prod logsumexp', reducing('keep')),
  ...named('max min amax amin median', extreme),
  ...named('argmax argmin any all count_nonzero', indices),
  ...named('long int bool short byte', asInteger),
  ...named('dropout dropout1d dropout2d dropout3d alpha_dropout', dropout),
  ...named('softmax log_softmax gumbel_softmax', ({ trace }, args) => wideResult(trace, tensorIn(args))),
  ...named('layer_norm group_norm batch_norm instance_norm rms_norm normalize', norm),
  ...named('scaled_dot_product_attention', attention),
  ...named('matmul bmm mm mv dot', ({ trace }, args) => {
    const [a, b] = args.list;
    return isTensor(a) && isTensor(b) ? matmul(trace, a, b) : raise('a tensor is not known');
  }),
  linear,
  embedding,
  detach: (_, args) => ({ ...tensorIn(args), grad: false }),
  to: toType,
  type: toType,
  ...shapes,
  ...windows,
  ...losses,
};

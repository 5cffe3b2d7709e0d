import { functions } from './functional';
import type { Machine } from './machine';
import { parametersOf } from './modules';
import { elementsOf, Named, Native, UNKNOWN } from './values';
import type { Tensor, Value } from './values';

/** Attributes of tensors that are no methods. */
export function tensorAttribute(machine: Machine, of: Tensor, name: string): Value {
  switch (name) {
    case 'shape':
      return [...of.shape];
    case 'ndim':
      return of.shape.length;
    case 'T':
    case 'mT':
      return machine.trace.view(of, of.shape.toReversed());
    case 'data':
      return of;
    case 'device':
    case 'dtype':
    case 'grad':
      return new Named(`tensor.${name}`);
    case 'requires_grad':
      return of.grad && !machine.frozen.has(of.storage);
    case 'is_cuda':
      return true;
    default:
      return methodOf(machine, of, name);
  }
}

function methodOf(machine: Machine, of: Tensor, name: string): Value {
  const plain = name.endsWith('_') && !name.endsWith('__') ? name.slice(0, -1) : name;
  if (name === 'requires_grad_') {
    return new Native(({ list: [on = true] }) => {
      for (const { storage } of parametersOf(of)) {
        if (on === false) machine.frozen.add(storage);
      }
      return of;
    });
  }
  const known = functions[name] ?? functions[plain];
  if (known) return new Native(args => known(machine, { ...args, list: [of, ...args.list] }));
  return ELSE[name]?.(of) ?? new Native(() => UNKNOWN);
}

/** Methods without a function of the same name. */
const ELSE: Readonly<Record<string, (of: Tensor) => Value>> = {
  size: of =>
    new Native(({ list: [at] }) => (typeof at === 'number' ? (of.shape.at(at) ?? UNKNOWN) : [...of.shape])),
  dim: of => new Native(() => of.shape.length),
  numel: of => new Native(() => elementsOf(of.shape)),
  nelement: of => new Native(() => elementsOf(of.shape)),
  is_contiguous: () => new Native(() => true),
  get_device: () => new Native(() => 0),
  is_floating_point: of => new Native(() => of.storage.kind === 'float'),
  item: () => new Native(() => UNKNOWN),
  tolist: () => new Native(() => UNKNOWN),
  numpy: () => new Native(() => UNKNOWN),
  __len__: of => new Native(() => of.shape[0] ?? 0),
};

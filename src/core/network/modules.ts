import type { Machine } from './machine';
import type { Args, Layer, Tensor, Value } from './values';
import { Dictionary, Instance, isInstance, isTensor, Native, UNKNOWN, wordOf } from './values';

/** Everything that is held directly: attributes, and items of lists. */
function heldIn(of: Instance): readonly Value[] {
  return [...of.attributes].filter(([name]) => name !== 'hparams').map(([, value]) => value);
}

const DEEPEST = 60;

/** Counts items that are gone over; throws if there are too many. */
type Step = (items: number) => void;

/** The parameters of a network and of its parts, each once. */
export const parametersOf = (of: Value, step: Step = () => undefined): readonly Tensor[] =>
  parametersIn(of, { seen: new Set(), step }, 0);

interface Walk {
  readonly seen: Set<unknown>;
  readonly step: Step;
}

function parametersIn(of: Value, walk: Walk, depth: number): readonly Tensor[] {
  const { seen } = walk;
  if (depth > DEEPEST || of === null || typeof of !== 'object' || seen.has(of)) return [];
  if (isTensor(of)) {
    if (!of.storage.isParameter || seen.has(of.storage)) return [];
    seen.add(of.storage);
    return [of];
  }
  seen.add(of);
  const inside = Array.isArray(of) ? of : heldBy(of);
  walk.step(inside.length);
  return inside.flatMap(one => parametersIn(one, walk, depth + 1));
}

function heldBy(of: Value): readonly Value[] {
  if (of instanceof Dictionary) return [...of.entries.values()];
  return of instanceof Instance ? [...(of.layer?.parameters ?? []), ...heldIn(of)] : [];
}

/** The networks directly in a network. */
export function childrenIn(of: Instance): readonly Instance[] {
  const listed = of.attributes.get('#items');
  const inside = listed instanceof Dictionary ? [...listed.entries.values()] : (listed ?? []);
  const held = [...of.attributes].flatMap(([name, value]) => (name.startsWith('#') ? [] : [value]));
  return [...held, ...(Array.isArray(inside) ? inside : [])].filter(isInstance);
}

/** A network, and all networks in it. */
export function networksIn(
  of: Instance,
  step: Step = () => undefined,
  seen = new Set<Instance>(),
): readonly Instance[] {
  if (seen.has(of)) return [];
  seen.add(of);
  const inside = childrenIn(of);
  step(inside.length);
  return [of, ...inside.flatMap(one => networksIn(one, step, seen))];
}

type Attribute = (machine: Machine, of: Instance) => Value;

const native = (call: (args: Args) => Value): Native => new Native(call);
const same: Attribute = (_, of) => native(() => of);
const nothing: Attribute = () => native(() => null);

const stepOf =
  (machine: Machine): Step =>
  items =>
    machine.step(items);

/** Sets whether gradients flow into all parameters. */
const frozen = (machine: Machine, of: Instance, isTrained: boolean): void => {
  for (const { storage } of parametersOf(of, stepOf(machine))) {
    if (isTrained) machine.frozen.delete(storage);
    else machine.frozen.add(storage);
  }
};

const METHODS: Readonly<Record<string, Attribute>> = {
  to: same,
  cuda: same,
  cpu: same,
  eval: same,
  train: same,
  float: same,
  half: same,
  apply: same,
  compile: same,
  parameters: (machine, of) => native(() => [...parametersOf(of, stepOf(machine))]),
  named_parameters: (machine, of) =>
    native(() => parametersOf(of, stepOf(machine)).map((one, at) => [`p${at}`, one])),
  modules: (machine, of) => native(() => [...networksIn(of, stepOf(machine))]),
  named_modules: (machine, of) =>
    native(() => networksIn(of, stepOf(machine)).map((one, at) => [`m${at}`, one])),
  children: (_, of) => native(() => [...childrenIn(of)]),
  named_children: (_, of) => native(() => childrenIn(of).map((one, at) => [`m${at}`, one])),
  buffers: () => native(() => []),
  register_buffer: (_, of) =>
    native(({ list: [name, value = null], named }) => {
      const tensor = value ?? named.get('tensor') ?? null;
      of.attributes.set(wordOf(name), isTensor(tensor) ? { ...tensor, grad: false } : tensor);
      return null;
    }),
  register_parameter: added,
  add_module: added,
  register_module: added,
  requires_grad_: (machine, of) =>
    native(({ list: [on = true], named }) => {
      frozen(machine, of, (named.get('requires_grad') ?? on) !== false);
      return of;
    }),
  freeze: (machine, of) =>
    native(() => {
      frozen(machine, of, false);
      return null;
    }),
  load_state_dict: () => native(() => UNKNOWN),
  state_dict: () => native(() => UNKNOWN),
  save_hyperparameters: nothing,
  log: nothing,
  log_dict: nothing,
  register_forward_hook: nothing,
  named_buffers: () => native(() => []),
};

function added(_: Machine, of: Instance): Value {
  return native(({ list: [name, value = null] }) => {
    const listed = of.attributes.get('#items');
    if (Array.isArray(listed)) listed.push(value);
    else of.attributes.set(wordOf(name), value);
    return null;
  });
}

const LISTS: Readonly<Record<string, (of: Instance, items: Value[]) => Value>> = {
  append: (of, items) =>
    native(({ list: [value = null] }) => {
      items.push(value);
      return of;
    }),
  extend: (of, items) =>
    native(({ list: [value = null] }) => {
      if (Array.isArray(value)) items.push(...value);
      return of;
    }),
  insert: (of, items) =>
    native(({ list: [at, value = null] }) => {
      items.splice(Number(at), 0, value);
      return of;
    }),
};

/** What every network has, beside what its class says; undefined: nothing under this name. */
export function moduleAttribute(machine: Machine, of: Instance, name: string): Value | undefined {
  const found =
    ofItems(machine, of.attributes.get('#items'), of, name) ??
    (of.layer ? ofLayer(machine, of, of.layer, name) : undefined);
  if (found !== undefined) return found;
  return Object.hasOwn(METHODS, name) ? METHODS[name]?.(machine, of) : undefined;
}

function ofItems(machine: Machine, listed: Value | undefined, of: Instance, name: string): Value | undefined {
  if (listed instanceof Dictionary) {
    if (/^(?:keys|values|items)$/.test(name)) return machine.attribute(listed, name);
    return listed.entries.get(name);
  }
  if (!Array.isArray(listed)) return undefined;
  if (name === 'forward' || name === '#forward') return native(args => through(machine, listed, args));
  return Object.hasOwn(LISTS, name) ? LISTS[name]?.(of, listed) : undefined;
}

function ofLayer(machine: Machine, of: Instance, { parameters }: Layer, name: string): Value | undefined {
  if (name === 'forward') return native(args => machine.call(of, args));
  if (name === 'weight') return parameters[0] ?? null;
  return name === 'bias' ? (parameters[1] ?? null) : undefined;
}

/** torch.nn.Sequential: each layer gets what the one before returns. */
function through(machine: Machine, layers: readonly Value[], args: Args): Value {
  const [first, ...others] = layers;
  if (first === undefined) return args.list[0] ?? null;
  return others.reduce<Value>(
    (x, layer) => machine.call(layer, { list: [x], named: new Map() }),
    machine.call(first, args),
  );
}

import type { Machine } from './machine';
import { memberOf } from './calls';
import { openedFile } from './files';
import { childrenIn } from './modules';
import {
  Dictionary,
  Func,
  Instance,
  isTensor,
  Klass,
  Named,
  numberOf,
  raise,
  UNKNOWN,
  Unknown,
  wordOf,
} from './values';
import type { Args, Value } from './values';

type BuiltIn = (machine: Machine, args: Args) => Value;

const LONGEST = 100_000;

const known = (value: Value | undefined): value is Exclude<Value, Unknown> =>
  value !== undefined && !(value instanceof Unknown);

function range({ list }: Args): Value {
  const [a = 0, b, by = 1] = list.map(one => numberOf(one, 'the count of a loop'));
  const [from, to] = b === undefined ? [0, a] : [a, b];
  const count = Math.max(0, Math.ceil((to - from) / by));
  if (count > LONGEST) raise('a loop is too long');
  return Array.from({ length: count }, (_, at) => from + at * by);
}

const numeric =
  (of: (value: number) => number): BuiltIn =>
  (_, { list: [value] }) => {
    if (typeof value === 'string' && value !== '' && Number.isFinite(Number(value))) return of(Number(value));
    return typeof value === 'number' || typeof value === 'boolean' ? of(Number(value)) : UNKNOWN;
  };

const most =
  (of: (...values: number[]) => number): BuiltIn =>
  (machine, { list }) => {
    const [first] = list;
    const all = list.length === 1 && first !== undefined ? machine.items(first) : list;
    const numbers = all.filter(one => typeof one === 'number');
    return numbers.length === all.length && all.length > 0 ? of(...numbers) : UNKNOWN;
  };

function lengthOf(machine: Machine, value: Value): Value {
  if (typeof value === 'string') return value.length;
  if (isTensor(value)) return value.shape[0] ?? 0;
  if (value instanceof Unknown) return UNKNOWN;
  if (value instanceof Instance && value.attributes.get('#items') === undefined) {
    const method = value.of ? memberOf(value.of, '__len__') : undefined;
    if (method instanceof Func) return machine.callFunction(method, { list: [], named: new Map() }, value);
    return childrenIn(value).length;
  }
  return machine.items(value).length;
}

/** `isinstance(value, int)`: by what values are here. */
function isOf(value: Value, of: Value): Value {
  if (Array.isArray(of)) return of.some(one => isOf(value, one) === true);
  if (value instanceof Unknown) return UNKNOWN;
  if (of instanceof Klass) {
    return value instanceof Instance && (value.of === of || (value.of?.bases.includes(of) ?? false));
  }
  if (!(of instanceof Named)) return UNKNOWN;
  const name = of.path.slice(of.path.lastIndexOf('.') + 1);
  if (value instanceof Instance && value.layer) return value.layer.name === name;
  return ISINSTANCE[name]?.(value) ?? false;
}

const ISINSTANCE: Readonly<Record<string, (value: Value) => boolean>> = {
  int: value => typeof value === 'number' && Number.isInteger(value),
  float: value => typeof value === 'number' && !Number.isInteger(value),
  bool: value => typeof value === 'boolean',
  str: value => typeof value === 'string',
  list: Array.isArray,
  tuple: Array.isArray,
  Sequence: Array.isArray,
  Iterable: Array.isArray,
  ListConfig: Array.isArray,
  dict: value => value instanceof Dictionary,
  DictConfig: value => value instanceof Dictionary,
  Tensor: isTensor,
  Module: value => value instanceof Instance,
};

/** Python's own functions. */
export const builtIns: Readonly<Record<string, BuiltIn>> = {
  range: (_, args) => range(args),
  len: (machine, { list: [value = null] }) => lengthOf(machine, value),
  int: numeric(Math.trunc),
  float: numeric(value => value),
  abs: numeric(Math.abs),
  round: numeric(Math.round),
  bool: (machine, { list: [value = null] }) => machine.holds(value),
  str: (_, { list: [value] }) => (typeof value === 'object' ? UNKNOWN : String(value)),
  max: most(Math.max),
  min: most(Math.min),
  sum: (machine, { list: [items = null] }) => {
    const all = machine.items(items);
    const tensor = all.find(isTensor);
    if (tensor) return machine.trace.result(tensor.shape, all.filter(isTensor));
    return all.every(one => typeof one === 'number') ? all.reduce((sum, one) => sum + one, 0) : UNKNOWN;
  },
  list: (machine, { list: [items] }) => (items === undefined ? [] : [...machine.items(items)]),
  tuple: (machine, { list: [items] }) => (items === undefined ? [] : [...machine.items(items)]),
  set: (machine, { list: [items] }) => (items === undefined ? [] : [...new Set(machine.items(items))]),
  sorted: (machine, { list: [items = null] }) =>
    [...machine.items(items)].sort((a, b) => (known(a) && known(b) && Number(a) < Number(b) ? -1 : 1)),
  reversed: (machine, { list: [items = null] }) => machine.items(items).toReversed(),
  enumerate: (machine, { list: [items = null, start = 0] }) =>
    machine.items(items).map((item, at) => [at + Number(start), item]),
  zip: (machine, { list }) => {
    const all = list.map(items => machine.items(items));
    const count = Math.min(...all.map(({ length }) => length));
    return Array.from({ length: count }, (_, at) => all.map(items => items[at] ?? null));
  },
  map: (machine, { list: [of = null, items = null] }) =>
    machine.items(items).map(item => machine.call(of, { list: [item], named: new Map() })),
  any: (machine, { list: [items = null] }) => machine.items(items).some(one => machine.holds(one)),
  all: (machine, { list: [items = null] }) => machine.items(items).every(one => machine.holds(one)),
  isinstance: (_, { list: [value = null, of = null] }) => isOf(value, of),
  callable: (_, { list: [value] }) =>
    value instanceof Func || value instanceof Klass || value instanceof Named,
  hasattr: (machine, { list: [of = null, name] }) => {
    if (of instanceof Dictionary) return of.entries.has(name ?? null);
    return of instanceof Instance
      ? of.attributes.has(wordOf(name)) || machine.attribute(of, wordOf(name)) !== UNKNOWN
      : UNKNOWN;
  },
  getattr: (machine, { list: [of = null, name, otherwise] }) => {
    if (otherwise === undefined) return machine.attribute(of, wordOf(name));
    if (of instanceof Dictionary) return of.entries.get(name ?? null) ?? otherwise;
    const found = of instanceof Instance ? machine.attribute(of, wordOf(name)) : UNKNOWN;
    return found === UNKNOWN ? otherwise : found;
  },
  setattr: (_, { list: [of, name, value = null] }) => {
    if (of instanceof Instance) of.attributes.set(wordOf(name), value);
    return null;
  },
  dict: (_, { list: [from], named }) => {
    const made = new Dictionary();
    if (from instanceof Dictionary) for (const [key, value] of from.entries) made.entries.set(key, value);
    if (Array.isArray(from)) {
      for (const pair of from) if (Array.isArray(pair)) made.entries.set(pair[0] ?? null, pair[1] ?? null);
    }
    for (const [key, value] of named) made.entries.set(key, value);
    return made;
  },
  iter: (machine, { list: [items = null] }) => [...machine.items(items)],
  next: (machine, { list: [items = null] }) => machine.items(items)[0] ?? UNKNOWN,
  open: (_, { list: [path], named }) => openedFile(path ?? named.get('file')),
  vars: (_, { list: [of] }) =>
    of instanceof Instance
      ? new Dictionary(new Map([...of.attributes].filter(([name]) => !name.startsWith('#'))))
      : UNKNOWN,
  print: () => null,
  type: (_, { list: [value] }) => (value instanceof Instance ? (value.of ?? UNKNOWN) : UNKNOWN),
  id: () => UNKNOWN,
};

const MATH: Readonly<Record<string, (a: number, b: number) => number>> = {
  sqrt: Math.sqrt,
  log: (a, b) => (Number.isNaN(b) ? Math.log(a) : Math.log(a) / Math.log(b)),
  log2: Math.log2,
  log10: Math.log10,
  exp: Math.exp,
  ceil: Math.ceil,
  floor: Math.floor,
  pow: (a, b) => a ** b,
  abs: Math.abs,
  gcd: (a, b) => {
    let [x, y] = [a, b];
    while (y > 0) [x, y] = [y, x % y];
    return x;
  },
};

/** Functions of `math` and numpy over numbers; undefined: none of this name. */
export function mathCall(name: string, { list }: Args): Value | undefined {
  if (name === 'prod' || name === 'cumsum' || name === 'sum') return ofList(name, list[0]);
  const of = Object.hasOwn(MATH, name) ? MATH[name] : undefined;
  const [a, b = Number.NaN] = list;
  if (!of) return undefined;
  return typeof a === 'number' && typeof b === 'number' ? of(a, b) : UNKNOWN;
}

function ofList(name: string, list: Value | undefined): Value | undefined {
  if (!Array.isArray(list) || !list.every(one => typeof one === 'number')) return undefined;
  if (name === 'prod') return list.reduce((all, one) => all * one, 1);
  if (name === 'sum') return list.reduce((all, one) => all + one, 0);
  let sum = 0;
  return list.map(one => (sum += one));
}

import type { Machine } from './machine';
import { broadcast } from './tensors';
import type { Trace } from './trace';
import type { Tensor, Value } from './values';
import { Dictionary, Instance, isTensor, Named, Native, raise, Slice, UNKNOWN, Unknown } from './values';

/** `of[key]`, or `of[a, b]` as a tuple. */
export function itemOf(machine: Machine, of: Value, keys: readonly Value[], isTuple: boolean): Value {
  const [key = null] = keys;
  if (of instanceof Unknown || key instanceof Unknown) {
    return isTensor(of) ? raise('an index is not known') : UNKNOWN;
  }
  if (isTensor(of)) {
    return indexed(
      machine.trace,
      of,
      keys.flatMap(one => (Array.isArray(one) && !isTuple ? one : [one])),
    );
  }
  if (Array.isArray(of)) return listItem(of, key);
  if (typeof of === 'string') return listItem(of.split(''), key);
  if (of instanceof Dictionary) return entryOf(of, key);
  if (of instanceof Named && of.path.endsWith('.__dict__')) {
    return typeof key === 'string' ? new Named(of.path.replace(/__dict__$/, key)) : UNKNOWN;
  }
  if (of instanceof Instance) return objectItem(machine, of, key);
  return UNKNOWN;
}

function entryOf({ entries }: Dictionary, key: Value): Value {
  const found = entries.get(key);
  return found === undefined ? raise('a key that is not there') : found;
}

function objectItem(machine: Machine, of: Instance, key: Value): Value {
  const listed = of.attributes.get('#items');
  if (listed instanceof Dictionary) return entryOf(listed, key);
  if (Array.isArray(listed)) {
    const found = listItem(listed, key);
    if (!Array.isArray(found)) return found;
    const part = new Instance(of.of, of.layer);
    for (const [name, value] of of.attributes) part.attributes.set(name, value);
    part.attributes.set('#items', found);
    return part;
  }
  const method = machine.attribute(of, '__getitem__');
  return method instanceof Native ? method.call({ list: [key], named: new Map() }) : UNKNOWN;
}

interface Taken {
  readonly start: number;
  readonly by: number;
  readonly count: number;
}

/** What a slice takes of a length. */
function taken({ from, to, step }: Slice, length: number): Taken {
  const by = typeof step === 'number' ? step : 1;
  const end = (value: Value, byDefault: number): number => {
    if (value instanceof Unknown) raise('a slice is not known');
    if (typeof value !== 'number') return byDefault;
    return Math.max(by < 0 ? -1 : 0, Math.min(length, value < 0 ? value + length : value));
  };
  if (by === 0) raise('a slice without steps');
  const [start, stop] = by > 0 ? [end(from, 0), end(to, length)] : [end(from, length - 1), end(to, -1)];
  return { start, by, count: Math.max(0, Math.ceil((stop - start) / by)) };
}

function sliceOf(items: readonly Value[], slice: Slice): Value[] {
  const { start, by, count } = taken(slice, items.length);
  return Array.from({ length: Math.min(count, items.length) }, (_, at) => items[start + at * by] ?? null);
}

function listItem(items: readonly Value[], key: Value): Value {
  if (key instanceof Slice) return sliceOf(items, key);
  if (typeof key !== 'number') return UNKNOWN;
  const found = items[key < 0 ? items.length + key : key];
  return found === undefined ? raise('an index that is not there') : found;
}

const isDots = (key: Value): boolean => key instanceof Named && key.path === '...';

/** A part of a tensor: a view, unless tensors pick its elements. */
function indexed(trace: Trace, of: Tensor, keys: readonly Value[]): Tensor {
  const used = keys.filter(key => key !== null && !isDots(key)).length;
  const dots = keys.findIndex(isDots);
  const rest = Array.from({ length: Math.max(0, of.shape.length - used) }, () => new Slice(null, null, null));
  const all = dots < 0 ? [...keys, ...rest] : [...keys.slice(0, dots), ...rest, ...keys.slice(dots + 1)];
  const shape: number[] = [];
  const picked: Tensor[] = [];
  let place = -1;
  let at = 0;
  for (const key of all) {
    if (key === null) {
      shape.push(1);
      continue;
    }
    const size = of.shape[at++];
    if (size === undefined) raise('more indices than dimensions');
    if (key instanceof Slice) shape.push(lengthOf(key, size));
    else if (isTensor(key)) {
      if (place < 0) place = shape.length;
      picked.push(key);
    } else if (Array.isArray(key)) shape.push(key.length);
    else if (typeof key !== 'number') raise('an index is not known');
  }
  if (picked.length === 0) return trace.view(of, shape);
  shape.splice(place, 0, ...broadcast(picked.map(one => one.shape)));
  return trace.result(shape, [of], null, of.storage.kind);
}

function lengthOf(slice: Slice, size: number): number {
  if ([slice.from, slice.to].some(isTensor)) raise('a slice is not known');
  return taken(slice, size).count;
}

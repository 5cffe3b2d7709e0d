import type { NetworkArgument } from '../models/network';
import type { Machine } from './machine';
import { Dictionary, Named, Native, wordOf } from './values';
import type { Value } from './values';

/** A value of a config as the program gets it. */
export function valueOf(argument: NetworkArgument): Value {
  if (typeof argument !== 'object' || argument === null) return argument;
  if (Array.isArray(argument)) return argument.map((one: NetworkArgument) => valueOf(one));
  return new Dictionary(new Map(Object.entries(argument).map(([key, one]) => [key, valueOf(one)])));
}

const OWN = new Set([
  '_target_',
  '_partial_',
  '_recursive_',
  '_convert_',
  '_args_',
  'class_path',
  'init_args',
]);

/**
 * What `hydra.utils.instantiate` and LightningCLI make of a section: sections with a class stand for what that makes.
 * `more`: arguments of the call itself.
 */
export function instantiated(
  machine: Machine,
  value: Value,
  more: ReadonlyMap<string, Value> = new Map(),
): Value {
  if (Array.isArray(value)) return value.map(one => instantiated(machine, one));
  if (!(value instanceof Dictionary)) return value;
  const path = value.entries.get('_target_') ?? value.entries.get('class_path');
  if (typeof path !== 'string') {
    return new Dictionary(new Map([...value.entries].map(([key, one]) => [key, instantiated(machine, one)])));
  }
  const inner = value.entries.get('init_args');
  const isWhole = value.entries.get('_recursive_') === false;
  const given = [...(inner instanceof Dictionary ? inner : value).entries].filter(
    ([key]) => !OWN.has(wordOf(key)),
  );
  const named = new Map(
    given.map(([key, one]) => [wordOf(key), isWhole ? one : instantiated(machine, one)] as const),
  );
  const target = machine.find(path) ?? new Named(path);
  const make = (named2: ReadonlyMap<string, Value>): Value =>
    machine.call(target, { list: [], named: new Map([...named, ...named2]) });
  return value.entries.get('_partial_') === true ? new Native(args => make(args.named)) : make(more);
}

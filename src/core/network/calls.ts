import { isSettings } from './seen';
import type { Frame, Machine } from './machine';
import {
  Dictionary,
  Func,
  Instance,
  Klass,
  Named,
  Native,
  raise,
  Raised,
  Scope,
  UNKNOWN,
  wordOf,
} from './values';
import type { Args, Value } from './values';

/** Gives the parameters of a function their values. */
export function bind(target: Func, args: Args, scope: Scope): void {
  const rest = new Map(args.named);
  let at = 0;
  for (const { name, byDefault, stars, byName } of target.parameters) {
    if (stars === 1) {
      scope.set(name, args.list.slice(at));
      at = args.list.length;
    } else if (stars === 2) {
      scope.set(name, new Dictionary(new Map(rest)));
      rest.clear();
    } else if (rest.has(name)) {
      scope.set(name, rest.get(name) ?? null);
      rest.delete(name);
    } else if (!byName && at < args.list.length) {
      scope.set(name, args.list[at++] ?? null);
    } else if (byDefault) scope.set(name, orUnknown(target.defaults.get(name)));
    else raise(`${target.name} needs ${name}`);
  }
  if (rest.size > 0) raise(`${target.name} has no ${[...rest.keys()][0] ?? ''}`);
}

const orUnknown = (value: Value | undefined): Value => (value === undefined ? UNKNOWN : value);

/** Bases outside the project that are networks. */
const MODULES =
  /(?:^|\.)(?:Module|LightningModule|ModelMixin|PreTrainedModel|Sequential|ModuleList|nn\.Module)$/;

/** The classes of a class, nearest first. */
export function lineOf(of: Klass): readonly (Klass | Named)[] {
  const line: (Klass | Named)[] = [of];
  for (const base of of.bases) {
    if (base instanceof Klass) line.push(...lineOf(base).filter(one => !line.includes(one)));
    else if (base instanceof Named) line.push(base);
  }
  return line;
}

export const isNetwork = (of: Klass): boolean =>
  lineOf(of).some(one => one instanceof Named && MODULES.test(one.path));

/** What a class or one it is derived from has under a name; `after`: only those behind that class. */
export function memberOf(of: Klass, name: string, after: Klass | null = null): Value | undefined {
  const line = lineOf(of);
  const from = after === null ? 0 : line.indexOf(after) + 1;
  for (const one of line.slice(from)) {
    const found = one instanceof Klass ? one.attributes.get(name) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

export function construct(machine: Machine, of: Klass, args: Args): Value {
  const made = new Instance(of);
  if (isNetwork(of)) machine.made.push(made);
  made.again = () => construct(machine, of, args);
  made.attributes.set('training', true);
  const init = memberOf(of, '__init__');
  if (init instanceof Func) {
    if (isNetwork(of)) made.attributes.set('hparams', givenTo(init, args));
    if (isNetwork(of)) initialize(machine, init, args, made);
    else machine.callFunction(init, args, made);
    if (!isNetwork(of) && isSettings(of)) machine.settings.push(made);
    return made;
  }
  if (isSettings(of)) machine.settings.push(made);
  if (of.isDataclass || of.fields.length > 0) fill(machine, of, args, made);
  else if (isListed(of)) made.attributes.set('#items', [...args.list]);
  return made;
}

/** What Lightning's `save_hyperparameters` keeps. */
function givenTo(init: Func, args: Args): Dictionary {
  const scope = new Scope();
  bind(init, { ...args, list: [null, ...args.list] }, scope);
  return new Dictionary(new Map(scope.names));
}

const isListed = (of: Klass): boolean =>
  lineOf(of).some(one => one instanceof Named && /\.(?:Sequential|ModuleList)$/.test(one.path));

/** The fields of a dataclass. */
/** A network that can't be made whole is none. */
function initialize(machine: Machine, init: Func, args: Args, made: Instance): void {
  try {
    machine.callFunction(init, args, made);
  } catch (error) {
    if (error instanceof Raised) machine.whyNot ??= error.message;
    machine.made.splice(machine.made.indexOf(made), 1);
    throw error;
  }
}

function fill(machine: Machine, of: Klass, args: Args, made: Instance): void {
  const fields = lineOf(of)
    .flatMap(one => (one instanceof Klass ? [one] : []))
    .toReversed()
    .flatMap(one => one.fields);
  [...new Set(fields)].forEach((name, at) => {
    const value = args.named.get(name) ?? args.list[at] ?? memberOf(of, name);
    if (value === undefined) raise(`${of.name} needs ${name}`);
    made.attributes.set(name, value);
  });
  for (const [name, value] of args.named) made.attributes.set(name, value);
  const after = memberOf(of, '__post_init__');
  if (after instanceof Func) machine.callFunction(after, { list: [], named: new Map() }, made);
}

/** `super()`: the methods of the classes behind the one that is running. */
export function superOf(machine: Machine, { of, self }: Frame): Value {
  const made = new Instance(null);
  if (!(self instanceof Instance) || self.of === null || of === null) return made;
  const own = self.of;
  made.attributes.set(
    '#super',
    new Native(({ list: [name] }) => {
      const found = memberOf(own, wordOf(name), of);
      if (found instanceof Func) return new Native(args => machine.callFunction(found, args, self));
      if (found !== undefined) return found;
      if (name === '__init__') return new Native(args => initialized(own, self, args));
      if (name === 'forward' && self.attributes.has('#items')) return machine.attribute(self, '#forward');
      return UNKNOWN;
    }),
  );
  return made;
}

/** `super().__init__(*layers)` of a class derived from Sequential. */
function initialized(of: Klass, self: Instance, { list }: Args): Value {
  if (isListed(of)) {
    const [only] = list;
    self.attributes.set('#items', list.length === 1 && Array.isArray(only) ? only : [...list]);
  }
  return null;
}

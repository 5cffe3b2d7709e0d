import { memberOf } from './calls';
import type { Machine } from './machine';
import { dictionaryMethod, listMethod, textMethod } from './methods';
import { tensorAttribute } from './tensorMethods';
import { Dictionary, Func, Instance, isTensor, Klass, Named, Native, raise, UNKNOWN } from './values';
import type { Args, Value } from './values';
import { moduleAttribute } from './modules';

/** `of.name`. */
export function attributeOf(machine: Machine, of: Value, name: string): Value {
  if (of instanceof Instance) return ofObject(machine, of, name);
  if (isTensor(of)) return tensorAttribute(machine, of, name);
  if (of instanceof Named) return machine.imported(of.path, name, '') ?? new Named(`${of.path}.${name}`);
  if (of instanceof Klass) return ofClass(machine, of, name);
  if (Array.isArray(of)) return listMethod(machine, of, name);
  if (of instanceof Dictionary) return dictionaryMethod(of, name);
  if (typeof of === 'string') return textMethod(of, name);
  return UNKNOWN;
}

function ofObject(machine: Machine, of: Instance, name: string): Value {
  const own = of.attributes.get(name);
  if (own !== undefined) return own;
  const behind = of.attributes.get('#super');
  if (behind instanceof Native) return behind.call({ list: [name], named: new Map() });
  const found = of.of === null ? undefined : memberOf(of.of, name);
  if (found instanceof Func) return bound(machine, of, found);
  if (found !== undefined) return found;
  const known = moduleAttribute(machine, of, name);
  if (known !== undefined) return known;
  const dynamic = of.of === null || name.startsWith('__') ? undefined : memberOf(of.of, '__getattr__');
  if (dynamic instanceof Func) return machine.callFunction(dynamic, { list: [name], named: new Map() }, of);
  // Attributes of classes outside the project.
  return name.startsWith('__') ? null : UNKNOWN;
}

function bound(machine: Machine, self: Instance, method: Func): Value {
  if (method.wraps === 'property') return machine.callFunction(method, { list: [], named: new Map() }, self);
  if (method.wraps === 'static') return method;
  const on = method.wraps === 'class' ? self.of : self;
  return new Native((args: Args) => machine.callFunction(method, args, on));
}

function ofClass(machine: Machine, of: Klass, name: string): Value {
  const found = memberOf(of, name);
  if (name === '__name__') return of.name;
  if (found instanceof Func && found.wraps === 'class') {
    return new Native(args => machine.callFunction(found, args, of));
  }
  return found ?? (name.startsWith('from_') ? UNKNOWN : raise(`${of.name} has no ${name}`));
}

import type { Machine } from './machine';
import { Dictionary, Instance, isTensor } from './values';
import type { Klass, Value } from './values';

/** `object.name = value`. */
export function setAttribute(machine: Machine, object: Value, name: string, value: Value): void {
  if (object instanceof Instance) setOwn(object, name, value);
  if (name !== 'requires_grad' || !isTensor(object)) return;
  if (value === false) machine.frozen.add(object.storage);
  else machine.frozen.delete(object.storage);
}

/** A layer's own parameter may become that of another: tied weights. */
function setOwn(object: Instance, name: string, value: Value): void {
  object.attributes.set(name, value);
  const at = ['weight', 'bias'].indexOf(name);
  if (!object.layer || at < 0 || !isTensor(value) || !value.storage.isParameter) return;
  const { parameters } = object.layer;
  if (at < parameters.length) object.layer = { ...object.layer, parameters: parameters.with(at, value) };
}

/** `object[key] = value`. */
export function setItem(object: Instance, key: Value, value: Value): void {
  const listed = object.attributes.get('#items');
  if (listed instanceof Dictionary) listed.entries.set(key, value);
  else if (Array.isArray(listed) && typeof key === 'number') {
    listed[key < 0 ? listed.length + key : key] = value;
  }
}

/** Bases of enumerations. */
export const ENUM = /(?:^|\.)(?:Str|Int)?Enum$/;

/** A member of an enumeration: an object of it. */
export function enumMember(of: Klass, name: string, value: Value): Instance {
  const member = new Instance(of);
  member.attributes.set('name', name);
  member.attributes.set('value', value);
  return member;
}

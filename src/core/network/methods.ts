import { pathAttribute } from './files';
import type { Machine } from './machine';
import { Dictionary, Native, raise, UNKNOWN, wordOf } from './values';
import type { Args, Value } from './values';

const native = (call: (args: Args) => Value): Native => new Native(call);

/** Methods of lists. */
export function listMethod(machine: Machine, of: Value[], name: string): Value {
  switch (name) {
    case 'append':
    case 'add':
      return native(({ list: [item = null] }) => {
        of.push(item);
        return null;
      });
    case 'extend':
      return native(({ list: [items = null] }) => {
        of.push(...machine.items(items));
        return null;
      });
    case 'insert':
      return native(({ list: [at, item = null] }) => {
        of.splice(Number(at), 0, item);
        return null;
      });
    case 'pop':
      return native(({ list: [at = -1] }) => of.splice(Number(at), 1)[0] ?? null);
    case 'index':
      return native(({ list: [item = null] }) => of.indexOf(item));
    case 'copy':
      return native(() => [...of]);
    case 'reverse':
      return native(() => {
        of.reverse();
        return null;
      });
    case 'numel':
      return native(() => of.reduce<number>((all, one) => all * Number(one), 1));
    default:
      return UNKNOWN;
  }
}

/** Methods of dictionaries; other names are keys, as in the configs of OmegaConf. */
export function dictionaryMethod(of: Dictionary, name: string): Value {
  const { entries } = of;
  switch (name) {
    case 'get':
      return native(({ list: [key = null, otherwise = null] }) =>
        entries.has(key) ? (entries.get(key) ?? null) : otherwise,
      );
    case 'pop':
      return native(({ list: [key = null, otherwise = null] }) => {
        const found = entries.get(key) ?? otherwise;
        entries.delete(key);
        return found;
      });
    case 'keys':
      return native(() => [...entries.keys()]);
    case 'values':
      return native(() => [...entries.values()]);
    case 'items':
      return native(() => [...entries].map(([key, value]) => [key, value]));
    case 'copy':
      return native(() => new Dictionary(new Map(entries)));
    case 'setdefault':
      return native(({ list: [key = null, value = null] }) => {
        if (!entries.has(key)) entries.set(key, value);
        return entries.get(key) ?? null;
      });
    case 'update':
      return native(({ list: [other = null], named }) => {
        if (other instanceof Dictionary) for (const [key, value] of other.entries) entries.set(key, value);
        for (const [key, value] of named) entries.set(key, value);
        return null;
      });
    default:
      return entries.has(name) ? (entries.get(name) ?? null) : raise(`there is no ${name}`);
  }
}

/** Methods of texts. */
export function textMethod(of: string, name: string): Value {
  switch (name) {
    case 'lower':
      return native(() => of.toLowerCase());
    case 'upper':
      return native(() => of.toUpperCase());
    case 'strip':
      return native(() => of.trim());
    case 'split':
      return native(({ list: [by = ' '] }) => of.split(wordOf(by)));
    case 'startswith':
      return native(({ list: [start] }) => of.startsWith(wordOf(start)));
    case 'endswith':
      return native(({ list: [end] }) => of.endsWith(wordOf(end)));
    case 'replace':
      return native(({ list: [from, to] }) => of.replaceAll(wordOf(from), wordOf(to)));
    case 'join':
      return native(({ list: [parts] }) => (Array.isArray(parts) ? parts.map(String).join(of) : UNKNOWN));
    default:
      return pathAttribute(of, name) ?? UNKNOWN;
  }
}

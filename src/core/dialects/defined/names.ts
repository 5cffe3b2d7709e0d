import { isDetailName, isQuantityName } from '../../spec/names';
import { arithmetic, isFunction } from '../engine/arithmetic';
import type { RunReader } from '../engine/runReader';
import { valueText } from '../shared/words';
import { ownOf } from '../../yaml/tables';
import type { Plain } from '../../yaml/scalars';

type Ask = (names: Names) => unknown;

/** What names in a dialect's file stand for: those of its own rows (`with`), else quantities, details and keys of a run. */
export class Names {
  private readonly known = new Map<string, unknown>();

  constructor(
    readonly run: RunReader,
    private readonly own: Readonly<Record<string, Ask>> = {},
    private readonly outer: Names | null = null,
  ) {}

  /** The value of a name; null where it is not known. Each is asked once, and only when it is needed. */
  value(name: string): unknown {
    if (this.known.has(name)) return this.known.get(name);
    const ask = Object.hasOwn(this.own, name) ? this.own[name] : undefined;
    const [first = '', ...fields] = name.split('.');
    const isField = fields.length > 0 && Object.hasOwn(this.own, first);
    const value = ask
      ? ask(this)
      : isField
        ? within(this.value(first), fields)
        : this.outer
          ? this.outer.value(name)
          : valueOfRun(this.run, name);
    this.known.set(name, value);
    return value;
  }

  /** The same names, and some more. */
  with(own: Readonly<Record<string, Ask>>): Names {
    return new Names(this.run, own, this);
  }
}

const KEY = 'key:';

/** `fsdp.version` is a field of a quantity; `key:fsdp` a key that has the name of one. */
function valueOfRun(run: RunReader, name: string): unknown {
  if (name.startsWith(KEY)) return run.value(name.slice(KEY.length));
  const [first = '', ...fields] = name.split('.');
  if (isQuantityName(first)) return within(run.get(first).value, fields);
  return isDetailName(first) ? within(run.detail(first).value, fields) : run.value(name);
}

const within = (value: unknown, fields: readonly string[]): unknown =>
  fields.reduce<unknown>(
    (at, field) =>
      typeof at === 'object' && at !== null ? (ownOf(at as Record<string, unknown>, field) ?? null) : null,
    value,
  );

const NAMED = /\{([^{}\s]+)\}/g;

/** A text with its names filled in. */
export const filled = (text: string, names: Names): string =>
  text.includes('{') ? text.replaceAll(NAMED, (_, name: string) => words(names.value(name))) : text;

const words = (value: unknown): string =>
  value === null || value === undefined ? '' : valueText(value as Plain);

/** The name that a text consists of: `{model}`; its value stays what it is. */
export const soleName = (text: string): string | null => /^\{([^{}\s]+)\}$/.exec(text)?.[1] ?? null;

const NAME = /[A-Za-z_][\w.:]*/g;

/** Arithmetic on names; null where one of them is no number. */
export function reckoned(formula: string, names: Names): number | null {
  const open: string[] = [];
  const text = formula.replaceAll(NAME, name => {
    if (isFunction(name)) return name;
    const value = names.value(name);
    const number = typeof value === 'string' ? Number(value) : value;
    if (typeof number !== 'number' || Number.isNaN(number)) open.push(name);
    return `(${String(number)})`;
  });
  return open.length > 0 ? null : arithmetic(text);
}

/** Names that arithmetic is about. */
export const namesIn = (formula: string): readonly string[] =>
  [...new Set(formula.match(NAME) ?? [])].filter(name => !isFunction(name));

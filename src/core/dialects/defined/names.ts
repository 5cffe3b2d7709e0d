import { isDetailName, isQuantityName } from '../../spec/names';
import { arithmetic, isFunction } from '../engine/arithmetic';
import type { RunReader } from '../engine/runReader';
import { valueText } from '../shared/words';
import { ownOf } from '../../yaml/tables';
import type { Plain } from '../../yaml/scalars';

type Ask = (names: Names) => unknown;

/** Resolves names in a dialect file: those of a row's `with`, else quantities, details and keys of a run. */
export class Names {
  private readonly known = new Map<string, unknown>();

  constructor(
    readonly run: RunReader,
    private readonly own: Readonly<Record<string, Ask>> = {},
    private readonly outer: Names | null = null,
  ) {}

  /** The value of a name; null if unknown. Evaluated lazily, and once. */
  value(name: string): unknown {
    if (this.known.has(name)) return this.known.get(name);
    const ask = Object.hasOwn(this.own, name) ? this.own[name] : undefined;
    const [first = '', ...fields] = name.split('.');
    const isField = fields.length > 0 && Object.hasOwn(this.own, first);
    const value = ask
      ? ask(this)
      : isField
        ? nestedValue(this.value(first), fields)
        : this.outer
          ? this.outer.value(name)
          : valueOfRun(this.run, name);
    this.known.set(name, value);
    return value;
  }

  /** The same names plus others. */
  with(own: Readonly<Record<string, Ask>>): Names {
    return new Names(this.run, own, this);
  }
}

const KEY = 'key:';

/** `fsdp.version` is a field of a quantity; `key:fsdp` is a key with the name of a quantity. */
function valueOfRun(run: RunReader, name: string): unknown {
  if (name.startsWith(KEY)) return run.value(name.slice(KEY.length));
  const [first = '', ...fields] = name.split('.');
  if (isQuantityName(first)) return nestedValue(run.get(first).value, fields);
  return isDetailName(first) ? nestedValue(run.detail(first).value, fields) : run.value(name);
}

const nestedValue = (value: unknown, fields: readonly string[]): unknown =>
  fields.reduce<unknown>(
    (at, field) =>
      typeof at === 'object' && at !== null ? (ownOf(at as Record<string, unknown>, field) ?? null) : null,
    value,
  );

const NAMED = /\{([^{}\s]+)\}/g;

/** A text with names substituted. */
export const filled = (text: string, names: Names): string =>
  text.includes('{') ? text.replaceAll(NAMED, (_, name: string) => words(names.value(name))) : text;

const words = (value: unknown): string =>
  value === null || value === undefined ? '' : valueText(value as Plain);

/** The name if a text is nothing but `{model}`; its value keeps its type. */
export const soleName = (text: string): string | null => /^\{([^{}\s]+)\}$/.exec(text)?.[1] ?? null;

const NAME = /[A-Za-z_][\w.:]*/g;

/** Arithmetic on names; null if one of them is not a number. */
export function reckoned(formula: string, names: Pick<Names, 'value'>): number | null {
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

/** The names in a formula. */
export const namesIn = (formula: string): readonly string[] =>
  [...new Set(formula.match(NAME) ?? [])].filter(name => !isFunction(name));

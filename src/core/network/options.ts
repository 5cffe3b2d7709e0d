import { Dictionary, Instance, Named, Native, UNKNOWN } from './values';
import type { Args, Value } from './values';

/** Values that switches set without one of their own (argparse, "action"). */
const SWITCHES: ReadonlyMap<Value, Value> = new Map([
  ['store_true', false],
  ['store_false', true],
]);

/** Methods that return a parser which fills the same options. */
const SAME_PARSER = [
  'add_argument_group',
  'add_mutually_exclusive_group',
  'add_subparsers',
  'add_parser',
] as const;

/** argparse's parser: `parse_args` returns the defaults below what the run's command gives. */
export function argumentParser(given: Value): Instance {
  const parser = new Instance(null);
  const defaults = new Map<string, Value>();
  const types = new Map<string, Value>();
  const parsed = (): Instance => {
    const options = new Instance(null);
    for (const [name, value] of [...defaults, ...givenAmong(given, defaults)]) {
      options.attributes.set(name, typedAs(types.get(name), value));
    }
    return options;
  };
  const define = (name: string, call: (args: Args) => Value): void => {
    parser.attributes.set(name, new Native(call));
  };
  define('add_argument', args => {
    const name = nameOf(args);
    if (name === null) return UNKNOWN;
    defaults.set(name, defaultOf(args));
    types.set(name, args.named.get('type') ?? null);
    return UNKNOWN;
  });
  define('set_defaults', ({ named }) => {
    for (const [name, value] of named) defaults.set(name, value);
    return null;
  });
  define('parse_args', parsed);
  define('parse_known_args', () => [parsed(), []]);
  for (const name of SAME_PARSER) define(name, () => parser);
  return parser;
}

/** argparse converts texts, also those of defaults. */
function typedAs(type: Value | undefined, value: Value): Value {
  const isNumber = type instanceof Named && /^(?:int|float)$/.test(type.path);
  return isNumber && typeof value === 'string' && value !== '' && Number.isFinite(Number(value))
    ? Number(value)
    : value;
}

const plain = (name: string): string => name.replace(/^-{1,2}/, '').replaceAll('-', '_');

/** The attribute that an argument fills: `dest`, else the first long flag, else the first name. */
function nameOf({ list, named }: Args): string | null {
  const dest = named.get('dest');
  if (typeof dest === 'string') return dest;
  const names = list.filter(one => typeof one === 'string');
  const name = names.find(one => one.startsWith('--')) ?? names[0];
  return name === undefined ? null : plain(name);
}

function defaultOf(args: Args): Value {
  const bySwitch = SWITCHES.get(args.named.get('action') ?? null);
  return args.named.get('default') ?? bySwitch ?? null;
}

function givenAmong(
  given: Value,
  defaults: ReadonlyMap<string, Value>,
): readonly (readonly [string, Value])[] {
  if (!(given instanceof Dictionary)) return [];
  return [...given.entries].flatMap(([key, value]) => {
    const name = typeof key === 'string' ? plain(key) : '';
    return defaults.has(name) ? [[name, value] as const] : [];
  });
}

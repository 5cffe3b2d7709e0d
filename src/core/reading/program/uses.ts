import type { CallSettings } from './calls';
import type { Dialect } from '../../dialects/dialect';
import type { DialectCall } from '../../dialects/engine/calls';
import type { Setting } from '../../dialects/engine/compose';
import { nodeOf, scalarNode } from './nodes';
import { insertionIn } from '../../python/insertion';
import type { Program } from '../../python/program';
import type { FoundCall, UsingCall } from '../../python/callFinder';
import type { ProgramSource } from '../../python/source';
import type { Argument, Value } from '../../python/value';
import type { CallPlace } from '../../yaml/node';

/**
 * What a run's program does with what it loaded states of it as well: `pipe.enable_model_cpu_offload()`, and the
 * arguments of `pipe(…)`. Several such calls state their largest number; what differs otherwise is unknown.
 */
export function withUses(
  stated: CallSettings,
  { found, until }: { readonly found: FoundCall; readonly until: number | undefined },
  program: Program,
  { calls = [] }: Dialect,
  source: ProgramSource,
): CallSettings {
  const entries = calls.filter(({ role }) => role === 'use');
  if (entries.length === 0) return stated;
  const using = program.using(found, until);
  const known = new Set(stated.settings.map(({ path }) => path.join('.')));
  const all = entries.map(entry => ({
    entry,
    uses: using.filter(({ method }) => entry.of.some(one => isMethod(one, method))),
  }));
  const read = all.map(({ entry, uses }) => ({ uses, entry, ...settingsOf(uses, entry, source) }));
  const settings = read.flatMap(one => one.settings).filter(({ path }) => !known.has(path.join('.')));
  const fixed = read.flatMap(one => one.fixed);
  return {
    ...stated,
    settings: [...stated.settings, ...settings],
    implied: new Set([...stated.implied, ...fixed]),
    used: new Set([...stated.used, ...all.flatMap(({ entry, uses }) => (uses.length > 0 ? [entry] : []))]),
    places: [...stated.places, ...read.flatMap(one => placesOf(one.uses, one.entry, source))],
  };
}

/** `*.enable_tiling` is that of any part. */
const isMethod = (pattern: string, method: string): boolean =>
  pattern.startsWith('*.') ? method.endsWith(pattern.slice(1)) : pattern === method;

interface UseSettings {
  readonly settings: readonly Setting[];
  /** Keys that no edit changes: the call has no argument for them, or several calls have one. */
  readonly fixed: readonly string[];
}

function settingsOf(uses: readonly UsingCall[], entry: DialectCall, source: ProgramSource): UseSettings {
  const names = [...new Set(uses.flatMap(use => use.args.map(arg => nameOf(arg, entry))))];
  const stated = names.flatMap(name => {
    const key = name === undefined ? null : keyOf(name, entry);
    return name === undefined || key === null ? [] : argumentOf(name, key, uses, entry, source);
  });
  const [first] = uses;
  const lacking = Object.entries(entry.lacks).flatMap(([name, key]) =>
    uses.some(use => !use.args.some(arg => nameOf(arg, entry) === name)) ? [[key, true] as const] : [],
  );
  const implied = first ? [...Object.entries(entry.sets), ...lacking] : [];
  const sets = first ? implied.map(([key, value]) => setBy(first, key, value, uses, source)) : [];
  const counted = new Set(Object.values(entry.counts));
  return {
    settings: [...stated, ...sets],
    fixed: [
      ...implied.map(([key]) => key),
      ...stated.map(({ path }) => String(path[0])).filter(key => uses.length > 1 || counted.has(key)),
    ],
  };
}

const nameOf = ({ name, position }: Argument, { positional }: DialectCall): string | undefined =>
  name ?? positional[position];

const keyOf = (name: string, { keys, counts, only }: DialectCall): string | null =>
  keys[name] ?? counts[name] ?? (only.includes(name) ? name : null);

function argumentOf(
  name: string,
  key: string,
  uses: readonly UsingCall[],
  entry: DialectCall,
  source: ProgramSource,
): readonly Setting[] {
  const given = uses.flatMap(use => use.args.find(arg => nameOf(arg, entry) === name) ?? []);
  const isCount = Object.hasOwn(entry.counts, name);
  const values = given.map(({ value }) => (isCount ? countOf(value, source) : value));
  const [arg] = given;
  if (!arg) return [];
  const isSure = given.length === uses.length || entry.prefers.includes(name);
  const value = isSure ? largest(values) : null;
  const span = arg.value.span;
  const node = nodeOf(value ?? { kind: 'open', span }, source);
  return [{ path: key.split('.'), keySpan: source.inFile(arg.keySpan), value: node, from: [name] }];
}

/** How many items an argument has: a text is one, and so is what is called like one. */
function countOf(value: Value, { text }: ProgramSource): Value {
  const { span } = value;
  const one = { kind: 'scalar', span, value: 1 } as const;
  if (value.kind === 'items') return { ...one, value: value.items.length };
  if (value.kind === 'scalar') return one;
  return /(?:s|batch|list)\b[\])]?$/i.test(text.slice(span.start, span.end)) ? { kind: 'open', span } : one;
}

/** The largest of known numbers; of other values the only one; null: unknown. */
function largest(values: readonly Value[]): Value | null {
  const [first] = values;
  if (!first || values.some(({ kind }) => kind === 'open')) return null;
  const scalars = values.flatMap(value => (value.kind === 'scalar' ? [value] : []));
  if (scalars.length < values.length) return values.length === 1 ? first : null;
  const numbers = scalars.flatMap(({ value }) => (typeof value === 'number' ? [value] : []));
  if (numbers.length === values.length) {
    return scalars.find(({ value }) => value === Math.max(...numbers)) ?? null;
  }
  return scalars.every(({ value }) => value === scalars[0]?.value) ? first : null;
}

/** What a method sets by being called; unknown if only the run knows whether it is. */
function setBy(
  { nameSpan }: UsingCall,
  key: string,
  value: DialectCall['sets'][string],
  uses: readonly UsingCall[],
  source: ProgramSource,
): Setting {
  const isSure = uses.some(({ isReached }) => isReached === true);
  const text = source.text.slice(nameSpan.start, nameSpan.end);
  const span = source.inFile(nameSpan);
  const node = isSure ? scalarNode(value, text, span) : nodeOf({ kind: 'open', span: nameSpan }, source);
  return { path: key.split('.'), keySpan: span, value: node, from: [key] };
}

/** Where an argument can be added: in the only call. */
function placesOf(
  uses: readonly UsingCall[],
  { keys, only, own }: DialectCall,
  source: ProgramSource,
): readonly CallPlace[] {
  const [use, ...others] = uses;
  if (!use || others.length > 0 || only.length === 0 || own) return [];
  const { at, ...style } = insertionIn(source.text, use);
  const names = Object.entries(keys).map(([argument, key]) => [key, argument] as const);
  return [
    {
      span: source.inFile(use.span),
      names: Object.fromEntries(names),
      only,
      at: source.inFile({ start: at, end: at }).start,
      ...style,
    },
  ];
}

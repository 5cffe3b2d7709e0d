import type { CallSettings } from './pythonCalls';
import type { Dialect } from './dialect';
import type { DialectCall } from './engine/calls';
import type { Setting } from './engine/settings';
import { nodeOf, scalarNode } from './pythonNodes';
import type { BesideCall, Program } from '../python/program';
import type { ProgramSource } from '../python/source';
import type { Value } from '../python/value';

/**
 * What calls beside a run's own state of it, if no argument of the run does: a tokenizer's `max_length`. Calls that
 * differ, or that are not certain, state nothing.
 */
export function withBesides(
  stated: CallSettings,
  program: Program,
  { calls = [] }: Dialect,
  source: ProgramSource,
): CallSettings {
  const known = new Set(stated.settings.map(({ path }) => String(path[0])));
  const found = calls
    .filter(({ role }) => role === 'beside')
    .flatMap(entry => besidesOf(entry, program, source))
    .filter(({ path }) => !known.has(String(path[0])));
  return {
    ...stated,
    settings: [...found, ...stated.settings],
    // A plan can't change them: another call may use the same value.
    implied: new Set([...stated.implied, ...found.map(({ path }) => String(path[0]))]),
  };
}

function besidesOf(entry: DialectCall, program: Program, source: ProgramSource): readonly Setting[] {
  const isNamed = (name: string): boolean => entry.of.some(one => one === '*' || one === name);
  const calls = program.besides(isNamed).filter(call => entry.needs.every(need => isGiven(call, need)));
  return [...argumentsOf(entry, calls, source), ...setBy(entry, calls, source)];
}

/** `truncation=False` and `max_length=None` are as good as none. */
function isGiven({ args }: BesideCall, need: string): boolean {
  const value = args.find(({ name }) => name === need)?.value;
  return value !== undefined && !(value.kind === 'scalar' && (value.value === null || value.value === false));
}

function argumentsOf(
  { keys }: DialectCall,
  calls: readonly BesideCall[],
  source: ProgramSource,
): readonly Setting[] {
  return Object.entries(keys).flatMap(([argument, key]) => {
    const all = calls.flatMap(({ args }) => args.filter(({ name }) => name === argument));
    const [first] = all;
    const scalar = first && scalarOf(first.value);
    if (!first || scalar === undefined || all.some(({ value }) => scalarOf(value) !== scalar)) return [];
    const keySpan = source.inFile(first.keySpan);
    return [{ path: key.split('.'), keySpan, value: nodeOf(first.value, source), from: [argument] }];
  });
}

const scalarOf = (value: Value): unknown => (value.kind === 'scalar' ? value.value : undefined);

function setBy(
  { sets }: DialectCall,
  calls: readonly BesideCall[],
  source: ProgramSource,
): readonly Setting[] {
  const call = calls.find(({ isReached }) => isReached === true);
  if (!call) return [];
  const { start, end } = call.nameSpan;
  const span = source.inFile(call.nameSpan);
  const text = source.text.slice(start, end);
  return Object.entries(sets).map(([key, value]) => ({
    ...{ path: key.split('.'), keySpan: span, from: [key] },
    value: scalarNode(value, text, span),
  }));
}

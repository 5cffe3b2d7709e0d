import type { CallSettings } from './calls';
import type { Dialect } from '../../dialects/dialect';
import type { DialectCall } from '../../dialects/engine/calls';
import type { Setting } from '../../dialects/engine/compose';
import { factsOf } from './facts';
import { nodeOf, scalarNode } from './nodes';
import { importsModule } from '../../python/program';
import type { Program } from '../../python/program';
import type { BesideCall } from '../../python/callFinder';
import type { ProgramSource } from '../../python/source';
import type { Argument, Value } from '../../python/value';

/**
 * What calls beside a run's own state of it, if no argument of the run does: a tokenizer's `max_length`. Calls that
 * differ, or that are not certain, state nothing. `others`: what other files of the project say.
 */
export function withBesides(
  stated: CallSettings,
  program: Program,
  { calls = [] }: Dialect,
  source: ProgramSource,
  others: readonly string[] = [],
): CallSettings {
  const known = new Set(stated.settings.map(({ path }) => String(path[0])));
  const of = (wanted: DialectCall['role']): readonly DialectCall[] =>
    calls.filter(
      ({ role, module }) => role === wanted && (module === null || importsModule(program, module)),
    );
  const found = [
    ...of('beside').flatMap(entry => besidesOf(entry, program, source)),
    ...of('told').flatMap(entry => toldBy(entry, factsOf(program, source, others))),
  ].filter(({ path }) => !known.has(String(path[0])));
  return {
    ...stated,
    settings: [...found, ...stated.settings],
    // A plan can't change them: another call may use the same value.
    implied: new Set([...stated.implied, ...found.map(({ path }) => String(path[0]))]),
  };
}

/** Facts of a loop under the keys of the dialect. */
const toldBy = ({ keys }: DialectCall, facts: readonly Setting[]): readonly Setting[] =>
  facts.flatMap(fact => {
    const key = keys[String(fact.path[0])];
    return key === undefined ? [] : [{ ...fact, path: key.split('.') }];
  });

function besidesOf(entry: DialectCall, program: Program, source: ProgramSource): readonly Setting[] {
  const isNamed = (name: string): boolean =>
    entry.of.some(one => (one.startsWith('*') ? name.endsWith(one.slice(1)) : one === name));
  const isTelling = (call: BesideCall): boolean =>
    entry.needs.every(need => isGiven(call, need)) &&
    !entry.unless.some(one => isGiven(call, one)) &&
    (call.boundTo === null || !OF_TARGETS.test(call.boundTo));
  const own = program.besides(isNamed).filter(isTelling);
  const calls = own.length > 0 ? own : program.elsewhere(isNamed).filter(isTelling);
  return [...argumentsOf(entry, calls, source), ...setBy(entry, calls, source)];
}

/**
 * What rows are compared with is as long as they are, or shorter where a decoder has its own. What a metric compares is
 * of another model.
 */
const OF_TARGETS =
  /(?:^|_)(?:labels?|targets?|refs?|references?|hyps?|hypothes[ie]s|preds?|predictions?)(?:_|$)/;

/** `truncation=False` and `max_length=None` are as good as none. */
function isGiven({ args }: BesideCall, need: string): boolean {
  const value = args.find(({ name }) => name === need)?.value;
  return value !== undefined && !(value.kind === 'scalar' && (value.value === null || value.value === false));
}

function argumentsOf(
  { keys, prefers }: DialectCall,
  calls: readonly BesideCall[],
  source: ProgramSource,
): readonly Setting[] {
  return Object.entries(keys).flatMap(([argument, key]) => {
    const first = agreedArgument(calls, argument) ?? agreedArgument(preferred(calls, prefers), argument);
    if (!first) return [];
    const keySpan = source.inFile(first.keySpan);
    return [{ path: key.split('.'), keySpan, value: nodeOf(first.value, source), from: [argument] }];
  });
}

/** The argument, if all calls that have it agree on what it is. */
function agreedArgument(calls: readonly BesideCall[], argument: string): Argument | null {
  const all = calls.flatMap(({ args }) => args.filter(({ name }) => name === argument));
  const [first] = all;
  const scalar = first && scalarOf(first.value);
  return first && scalar !== undefined && all.every(({ value }) => scalarOf(value) === scalar) ? first : null;
}

const preferred = (calls: readonly BesideCall[], prefers: readonly string[]): readonly BesideCall[] =>
  prefers.length === 0 ? [] : calls.filter(call => prefers.some(name => isGiven(call, name)));

const scalarOf = (value: Value): unknown => (value.kind === 'scalar' ? value.value : undefined);

function setBy(
  { sets }: DialectCall,
  calls: readonly BesideCall[],
  source: ProgramSource,
): readonly Setting[] {
  const call = calls.find(({ isReached }) => isReached === true) ?? calls.find(one => one.isReached === null);
  if (!call) return [];
  // Where only the start decides whether it is called, the default is no answer, either.
  const open = call.isReached === null ? { value: null, opaque: 'interpolation' as const } : {};
  const { start, end } = call.nameSpan;
  const span = source.inFile(call.nameSpan);
  const text = source.text.slice(start, end);
  return Object.entries(sets).map(([key, value]) => ({
    ...{ path: key.split('.'), keySpan: span, from: [key] },
    value: { ...scalarNode(value, text, span), ...open },
  }));
}

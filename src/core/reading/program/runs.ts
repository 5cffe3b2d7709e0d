import type { DialectCall } from '../../dialects/engine/calls';
import type { Dialect } from '../../dialects/dialect';
import type { Composition, Gap, Layer } from '../../dialects/engine/compose';
import { layerOf, mapOf } from '../../dialects/engine/settings';
import { dialects } from '../../dialects/registry';
import type { Known } from '../../dialects/known';
import { isTest, loopRun } from './loop';
import { optionsOf, withLength } from './options';
import { isNamed, settingsOf } from './calls';
import type { CallSettings } from './calls';
import { importsModule, parsedProgram, readProgram } from '../../python/program';
import type { ParsedProgram, Program } from '../../python/program';
import type { FoundCall } from '../../python/callFinder';
import { withBesides } from './beside';
import { withUses } from './uses';
import type { Project } from '../../python/project';
import { programOf } from '../../python/source';
import type { ProgramSource } from '../../python/source';
import type { Call } from '../../python/value';
import { LineIndex } from '../../text/span';
import { askedGpus, installedBy, statedBy, visibleGpus, workersOfRay } from './platform';
import { parseConfig } from '../../yaml/file';
import { PYTHON } from '../../yaml/node';
import type { CallPlaces, MapNode, YamlFile, YamlNode } from '../../yaml/node';

/** A run of a program: its dialect and what its calls state. */
export interface PythonRun extends Known {
  readonly composition: Composition;
}

/** More runs of one file are not read: it is a test or a collection. */
const MOST_RUNS = 24;

const withCalls: readonly Dialect[] = dialects.filter(({ calls }) => calls !== undefined);

/**
 * The runs of a program: calls of a trainer or an engine. Nothing is executed. What it would need of other files is
 * `wanted` in the project.
 */
export function pythonRuns(path: string, text: string, project: Project | null = null): readonly PythonRun[] {
  const opened = openedProgram(path, text);
  return opened ? runsOf(opened, path, text, project) : [];
}

/** A program that is read several times, each time knowing more of its project. */
export interface OpenedProgram {
  readonly source: ProgramSource;
  readonly parsed: ParsedProgram;
}

/** Null: the file is no program, or too long. */
export function openedProgram(path: string, text: string): OpenedProgram | null {
  const source = programOf(path, text);
  return source && { source, parsed: parsedProgram(source.text) };
}

/** Whether a call of it is that of a trainer or an engine, as far as it says itself. */
export const mayStart = (program: Program): boolean => startsIn(program, false).length > 0;

export function runsOf(
  { source, parsed }: OpenedProgram,
  path: string,
  text: string,
  project: Project | null,
  program: Program = readProgram(source.text, project, parsed),
): readonly PythonRun[] {
  const isCommanded = Boolean(project?.commandLine);
  const isIdle = isTest(path) && !program.isStarted && !isCommanded;
  const starts = startsIn(program, isCommanded)
    .filter(({ found }) => !isIdle || !found.inFunction)
    .slice(0, MOST_RUNS);
  const yaml: YamlFile = { text, documents: [], problems: [] };
  const installing = (): Pick<Composition, 'installs'> => {
    const installs = installedBy(program, source);
    return installs.length > 0 ? { installs } : {};
  };
  const opened: Layer = { path, yaml, document: 0, mount: null };
  const runs = starts.flatMap(({ found, entry, dialect }) => {
    const called = settingsOf(found.call, entry, dialect, source);
    const own = withBesides(called, program, dialect, source, project?.programs());
    // A library's function hands on what its callers say; what a command starts is read otherwise if this says nothing.
    const isProgram = program.isStarted && !isCommanded;
    const isOpen = found.inFunction && !isProgram && !isTelling(own, isCommanded);
    const stated = withUses(own, { found, until: nextOf(found, starts) }, program, dialect, source);
    if (isOpen || !isTold(entry, stated)) return [];
    const layer = layerOf(opened, rootOf(found.call, stated, dialect, source), null);
    const name = starts.length > 1 ? nameOf(found, source) : '';
    const gaps = stated.open.map(one => gapOf(one, path, text, source));
    const launched = launchedBy(found, entry, program, opened, source);
    const composition = {
      name,
      dialect: dialect.id,
      layers: [layer, ...(project?.commandLine ? configsOf(stated, project) : [])] as const,
      gaps,
      ...installing(),
      ...launched,
    };
    const whole = project?.commandLine ? composition : withLength(composition, optionsOf(program, source));
    return [{ dialect, definition: null, composition: whole }];
  });
  const isHanded = Boolean(project && project.handed !== null);
  if (runs.length > 0 && !isHanded) return runs;
  // Read in any case: it asks for what it needs of other files. A command reads its program's loop with its flags.
  const loop = loopRun(program, source, opened, { project, isHanded });
  return loop && (isHanded || !project?.commandLine)
    ? [...runs, { ...loop.known, composition: { ...loop.composition, ...installing() } }]
    : runs;
}

/** Config files of which the program takes arguments, with these under the framework's names: edits belong there. */
function configsOf({ settings }: CallSettings, project: Project): readonly Layer[] {
  const paths = new Set(settings.flatMap(({ at }) => at?.path ?? []));
  return [...paths].flatMap(path => {
    const text = project.text(path);
    const yaml = text === null ? null : parseConfig(path, text);
    const taken = settings.flatMap(({ at, ...one }) =>
      at?.path === path ? [{ ...one, keySpan: at.keySpan, value: at.node, from: at.keys }] : [],
    );
    const [first] = taken;
    if (!yaml || !first) return [];
    return [layerOf({ path, yaml, document: 0, mount: null }, mapOf(taken, first.keySpan, null), '')];
  });
}

const isKnown = (node: YamlNode): boolean =>
  node.kind === 'scalar' && !node.opaque && node.value !== null && node.value !== '';

/** False for a helper that loads whatever its caller names, and for a trainer that does not get the known arguments. */
const isTold = ({ needs, keys, joint }: DialectCall, { settings, used }: CallSettings): boolean =>
  needs.every(need => {
    if ([...used].some(({ givenAs }) => givenAs.includes(need))) return true;
    const key = keys[need] ?? need.replaceAll('_', joint);
    return settings.some(({ path, value }) => path.join('.') === key && isKnown(value));
  });

/** The GPU that an argument asks for by name; else what a platform gives the function around the call. */
function launchedBy(
  { call }: FoundCall,
  { gpu }: DialectCall,
  program: Program,
  opened: Layer,
  source: ProgramSource,
): Pick<Composition, 'launched'> {
  const stated = gpu === null ? undefined : call.args.find(({ name }) => name === gpu);
  const named = stated?.value.kind === 'scalar' ? stated.value.value : null;
  const asked =
    askedGpus(program, call.span, opened, source) ??
    workersOfRay(program, opened, source) ??
    visibleGpus(program, opened, source);
  if (!stated || typeof named !== 'string') return asked ? { launched: asked } : {};
  return { launched: { gpu: { value: named, origin: statedBy(stated, opened, source) } } };
}

/** Where the name of a result gets the next one. */
const nextOf = ({ boundTo, call }: FoundCall, starts: readonly Start[]): number | undefined =>
  starts.find(
    ({ found }) => boundTo !== null && found.boundTo === boundTo && found.call.span.start > call.span.start,
  )?.found.call.span.start;

/** Keys that decide what a run takes, in the words of all frameworks. */
const TELLING =
  /^(?:model(?:_name_or_path)?|pretrained_model_name_or_path|(?:per_device_)?(?:train_)?batch(?:_size)?|gradient_accumulation_steps|max(?:_seq)?_length|max_seq_len|max-model-len|tensor-parallel-size|gpu-memory-utilization|load_in_[48]bit|imgsz|devices|precision)$/;

/** False if nothing that decides the memory of a run is known. What a command starts may be all in other files. */
const isTelling = ({ settings, implied }: CallSettings, isCommanded: boolean): boolean =>
  settings.some(({ path, value }) => {
    const key = String(path[0]);
    const last = String(path.at(-1));
    const isKnown = value.kind !== 'scalar' || (!value.opaque && value.value !== null);
    return (
      isKnown &&
      (((isCommanded || !implied.has(key)) && TELLING.test(key)) || (path.length > 1 && TELLING.test(last)))
    );
  });

interface Start {
  readonly found: FoundCall;
  readonly entry: DialectCall;
  readonly dialect: Dialect;
}

const lastOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

function startsIn(program: Program, isCommanded: boolean): readonly Start[] {
  const tables = withCalls.flatMap(dialect =>
    (dialect.calls ?? [])
      .filter(({ role, module }) => role === 'run' && (module === null || importsModule(program, module)))
      .map(entry => ({ dialect, entry })),
  );
  const ordered = tables.toSorted((a, b) => specialOf(b.entry) - specialOf(a.entry));
  const methods = new Set(ordered.flatMap(({ entry }) => entry.startedBy));
  const known = new Map<string, Entry | null>();
  const entryOf = ({ name }: Call) => {
    let found = known.get(name);
    if (found === undefined) {
      found = ordered.find(({ entry }) => entry.of.some(pattern => isNamed(pattern, name))) ?? null;
      known.set(name, found);
    }
    return found;
  };
  const own = startsAmong(program.calls(isNoBuiltIn), entryOf, methods);
  const some = own.length > 0 ? own : startsAmong(program.callsElsewhere(isNoBuiltIn), entryOf, methods);
  const all = chosenOf(some, isCommanded);
  const trained = all.filter(({ entry }) => !entry.alone);
  return trained.length < all.length && (trained.length > 0 || trains(program)) ? trained : all;
}

/**
 * Of several, those that the program's flags choose. Without a command, what nothing calls may be started otherwise; so may
 * what its flags turn off, if they turn off all.
 */
function chosenOf(starts: readonly Start[], isCommanded: boolean): readonly Start[] {
  const called = starts.filter(({ found }) => found.isCalled === true);
  const possible = starts.filter(({ found }) => found.isCalled !== false);
  if (isCommanded) return called.length > 0 ? called : possible;
  return called.length > 0 ? possible : starts;
}

/** What needs a module is more special than what does not, and a name of any library is the least. */
const specialOf = ({ module, of }: DialectCall): number =>
  module !== null ? 2 : of.some(pattern => pattern.startsWith('*.')) ? 0 : 1;

const isNoBuiltIn = (name: string): boolean => !BUILT_IN.test(name);

type Entry = Omit<Start, 'found'>;

function startsAmong(
  calls: readonly FoundCall[],
  entryOf: (call: Call) => Entry | null,
  methods: ReadonlySet<string>,
): readonly Start[] {
  const starts = new Map<number, Start>();
  for (const found of calls) {
    const own = entryOf(found.call);
    if (own && isStarted(found, own.entry)) starts.set(found.call.span.start, { found, ...own });
    // `build().train()`: the run is what the helper returns.
    const { on, name } = found.call;
    if (on?.kind !== 'call' || !methods.has(lastOf(name))) continue;
    const behind = entryOf(on.call);
    if (behind && !starts.has(on.call.span.start)) {
      const result = { ...found, call: on.call, boundTo: null };
      starts.set(on.call.span.start, { found: result, ...behind });
    }
  }
  return [...starts.values()].sort((a, b) => a.found.call.span.start - b.found.call.span.start);
}

/** Python's own functions start no run, and most calls of a program are theirs. */
const BUILT_IN =
  /^(?:print|len|sum|min|max|abs|round|sorted|range|enumerate|zip|map|filter|list|dict|set|tuple|str|int|float|bool|isinstance|getattr|hasattr|open|any|all|append|join|format|split|strip|\w+Error)$/;

/** Calls by which a program trains a model itself, or prepares one for it. */
const TRAINING: ReadonlySet<string> = new Set(['backward', 'train', 'fit', 'get_peft_model']);

/** scikit-learn's `fit` trains no model that is loaded. */
const trains = (program: Program): boolean =>
  program.besides(name => TRAINING.has(name) && !(name === 'fit' && importsModule(program, 'sklearn')))
    .length > 0;

/** The same, also of functions of other files that it calls. */
export const trainsAnywhere = (program: Program): boolean =>
  trains(program) || program.elsewhere(name => TRAINING.has(name)).length > 0;

/** Methods that use what is trained already. */
const USES_ONLY: ReadonlySet<string> = new Set(['evaluate', 'predict']);

/** A trainer that a helper makes is no run yet, nor is one that only evaluates. */
function isStarted(
  { uses, inFunction, isReturned }: FoundCall,
  { of, startedBy, alone }: DialectCall,
): boolean {
  // A method: calling it starts the run.
  if (of.some(pattern => pattern.includes('()'))) return true;
  if (startedBy.length === 0) return !isReturned;
  if (uses.some(use => startedBy.includes(use))) return true;
  return !alone && !inFunction && !uses.some(use => USES_ONLY.has(use));
}

function rootOf(call: Call, stated: CallSettings, dialect: Dialect, source: ProgramSource): MapNode {
  const span = source.inFile(call.nameSpan);
  const map = mapOf(stated.settings, span, PYTHON);
  const others = (dialect.calls ?? []).filter(entry => entry.role === 'part' && !stated.used.has(entry));
  const elsewhere = others.flatMap(({ keys, only, sets }) => [
    ...Object.values(keys),
    ...only,
    ...Object.keys(sets),
  ]);
  const taken = new Set(stated.places.flatMap(({ names, only }) => [...Object.keys(names), ...(only ?? [])]));
  const places: CallPlaces = {
    calls: stated.places,
    elsewhere: [...new Set([...elsewhere, ...stated.implied])].filter(key => !taken.has(key)),
    isJson: source.isJson,
  };
  const entries = map.entries.map(entry =>
    stated.implied.has(entry.key) ? { ...entry, merged: true } : entry,
  );
  return { ...map, entries, places };
}

/** Its line in the program: the same whether a notebook is open as cells or stands on disk. */
function nameOf({ boundTo, call }: FoundCall, source: ProgramSource): string {
  const { line } = new LineIndex(source.text).placeOf(call.nameSpan.start);
  return `${boundTo?.replace('.', '') ?? lastOf(call.name)} line ${line}`;
}

function gapOf(
  { span, why }: CallSettings['open'][number],
  file: string,
  text: string,
  source: ProgramSource,
): Gap {
  const at = source.inFile(span);
  const key = source.text.slice(span.start, span.end).slice(0, 60);
  const { line } = new LineIndex(text).placeOf(at.start);
  return { mount: '', key, at: { file, path: key, keySpan: at, valueSpan: at, line }, why, open: true };
}

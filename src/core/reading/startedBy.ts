import type { ConfigEnvironment } from './ports';
import type { Quantity } from '../spec/quantity';
import type { RunSpec } from '../spec/runSpec';
import type { QuantityName } from '../spec/values';
import { isExplaining, isWritten } from '../dialects/envelopes/written';
import { plainName } from '../dialects/generic/leaves';
import { words } from '../dialects/generic/vocabulary';
import { readConfig, readHanded, readStarted } from './read';
import type { Reading } from './read';
import { OF_LIBRARY, STRANGERS } from '../dialects/generic/name';
import {
  defaultsByCode,
  keysOf,
  knowingMost,
  MOST_PROGRAMS,
  readNear,
  textsOf,
  usedByCode,
} from './codeAround';
import type { Around } from './codeAround';
import type { Signal } from '../signal';
import { isProgram } from '../text/paths';
import { parseConfig } from '../yaml/file';
import { parsePath } from '../yaml/path';

/** Number of launchers to read; more files only mention the config. */
const MOST_LAUNCHERS = 8;

interface Start {
  readonly file: string;
  readonly run: RunSpec;
}

/**
 * A config's reading with what starts it. If all files around it that name it start the same run, the result is
 * that run with its GPUs and overrides; if they differ, they are listed, and nothing is guessed. Envelopes and parts
 * of runs are unchanged. A config that a program beside it opens by itself has the run that
 * this makes of it, also where nobody else knows its keys.
 */
export async function withLaunchers(
  reading: Reading,
  world: ConfigEnvironment,
  signal: Signal,
): Promise<Reading> {
  const { launchers, ...others } = world;
  const [read] = reading.runs;
  if (!launchers || !mayBeStarted(reading, read)) return reading;
  const { files, dependencies, programs = noPrograms } = await launchers.of(reading.file);
  const near = files.filter(path => path !== reading.file);
  const around: Around = { near, programs, world: others, signal, dependencies: [...dependencies] };
  if (read?.role === 'part') {
    const users = await startsIn(around, (run, by) => isTaking(run, by, reading.file));
    return withRuns(reading, withRunsThatUse(read, users), around);
  }
  return withStarts(reading, around, await usedByCode(read, reading, around));
}

/** The same of a config's own run; `withUsed` leaves out what its programs do not use. */
async function withStarts(
  reading: Reading,
  around: Around,
  withUsed: (run: RunSpec) => RunSpec,
): Promise<Reading> {
  const [read] = reading.runs;
  const own = read && withUsed(read);
  const starts = await startsIn(around, (run, by) => isStart(run, by, reading.file));
  const opened = starts.length === 0 ? await openedBy(around, reading) : null;
  if (opened?.isLoop === false) {
    const stated = own ? opened.runs.map(run => withStated(run, own)) : opened.runs;
    return withRuns(reading, await withLoops(stated, reading, around), around);
  }
  const withCode = await defaultsByCode(own, reading, around);
  if (opened) {
    const filled = own ? [filledBy(own, opened.runs), ...reading.runs.slice(1)] : [];
    const told = own || !saysBatch(reading) ? filled : opened.runs;
    return withRuns(reading, told.map(withCode), around);
  }
  const runs = startedRuns(reading.runs, starts).map(run => withCode(withUsed(run)));
  const stated = own ? runs.map(run => withStated(run, withCode(own))) : runs;
  return withRuns(reading, await withLoops(stated, reading, around), around);
}

const noPrograms = (): Promise<readonly string[]> => Promise.resolve([]);

function withRuns(reading: Reading, runs: readonly RunSpec[], { dependencies }: Around): Reading {
  // Keys of its own, which the program that a file starts reads as a framework's.
  const dialect = reading.dialect ?? runs[0]?.dialect ?? null;
  const all = new Set([...reading.dependencies, ...dependencies]);
  return { ...reading, dialect, runs, dependencies: [...all].sort() };
}

/** The runs of scripts and documents around it that are wanted. */
async function startsIn(
  around: Around,
  isWanted: (run: RunSpec, by: string) => boolean,
): Promise<readonly Start[]> {
  const starts: Start[] = [];
  for (const file of around.near.filter(path => !isProgram(path)).slice(0, MOST_LAUNCHERS)) {
    const launcher = await readNear(file, readConfig, around);
    const found = launcher?.runs.filter(run => isWanted(run, file)) ?? [];
    starts.push(...found.map(run => ({ file, run })));
  }
  return starts;
}

interface Opened {
  readonly runs: readonly RunSpec[];
  /** Its loop takes values of the config as the program's own. */
  readonly isLoop: boolean;
}

/** The run of the one program that opens the config without being told to; null: none does, or several do. */
async function openedBy(around: Around, reading: Reading): Promise<Opened | null> {
  const [programs, config] = [around.near.filter(isProgram), reading.file];
  if (programs.length > MOST_PROGRAMS) return null;
  const all: Opened[] = [];
  for (const path of programs) {
    const { runs = [], dependencies = [] } = (await readNear(path, readStarted, around)) ?? {};
    if (runs.some(({ sources }) => sources.some(one => one.path === config))) {
      all.push({ runs, isLoop: false });
    } else if (runs.length === 0 && dependencies.includes(config)) {
      const loop = await readNear(path, readConfig, around);
      all.push({ runs: loop?.runs ?? [], isLoop: true });
    }
  }
  const [only] = all;
  if (!only) return handedTo(around, reading);
  return only.runs.length === 1 && all.length === 1 ? only : null;
}

/** The run that the one program makes of a library's config which must be handed to it; null: none does, or several. */
async function handedTo(around: Around, { file: config, yaml, runs }: Reading): Promise<Opened | null> {
  const [own] = runs;
  if (!own || !OF_LIBRARY.has(own.dialect)) return null;
  const isOf = ({ dialect, sources }: RunSpec): boolean =>
    !STRANGERS.has(dialect) && sources.some(one => one.path === config);
  const [only, ...others] = await knowingMost(yaml, around, async path => {
    const { runs = [], dependencies: all = [] } = (await readNear(path, readHanded(config), around)) ?? {};
    return runs.every(isOf) ? { runs, texts: await textsOf([path, ...all.filter(isProgram)], around) } : null;
  });
  return only?.runs.length === 1 && others.length === 0 ? { runs: only.runs, isLoop: false } : null;
}

/** What only the code of a program's loop says, which the keys of its config leave open or are silent about. */
const OF_LOOP = [
  'optimizer',
  'precision',
  'gradAccum',
  'gradientCheckpointing',
  'imageSize',
  'seqLen',
  'numWorkers',
] as const;

/** Fills what a run leaves open from the loops; loops that contradict each other say nothing. */
function filledBy(own: RunSpec, loops: readonly RunSpec[]): RunSpec {
  const told = OF_LOOP.filter(name => isAssumed(own.quantities[name])).flatMap(name => {
    const [first, ...others] = loops.map(loop => loop.quantities[name]).filter(isTold(name));
    const isAgreed = others.every(({ value }) => JSON.stringify(value) === JSON.stringify(first?.value));
    return first && isAgreed ? [[name, first] as const] : [];
  });
  return { ...own, quantities: { ...own.quantities, ...Object.fromEntries(told) } };
}

/** Fills what runs leave open from the loops of programs that get the config as an argument. */
async function withLoops(
  runs: readonly RunSpec[],
  { file: config, yaml }: Reading,
  around: Around,
): Promise<readonly RunSpec[]> {
  const isOpen = ({ dialect, quantities }: RunSpec): boolean =>
    STRANGERS.has(dialect) && OF_LOOP.some(name => isAssumed(quantities[name]));
  if (!runs.some(isOpen)) return runs;
  const programs = await knowingMost(yaml, around, async path => {
    const loop = await readNear(path, readHanded(config), around);
    if (loop?.dependencies.includes(config) !== true) return null;
    const texts = await textsOf([path, ...loop.dependencies.filter(isProgram)], around);
    return { runs: loop.runs, texts };
  });
  const loops = programs.flatMap(loop => loop.runs);
  const batchOf = ({ quantities }: RunSpec): unknown => quantities.microBatchSize.value;
  const isOf = (run: RunSpec, loop: RunSpec): boolean =>
    batchOf(loop) === null || batchOf(loop) === batchOf(run);
  const loopsOf = (run: RunSpec): readonly RunSpec[] => loops.filter(loop => isOf(run, loop));
  return runs.map(run => (isOpen(run) ? filledBy(run, loopsOf(run)) : run));
}

/** A file that nobody else knows is the config of the loop that opens it if it says the batch: others are data. */
const saysBatch = ({ file, yaml }: Reading): boolean =>
  keysOf(parseConfig(file, yaml.text)).some(key =>
    [words.batch, words.batchOfDevice].some(names => names.test(plainName(key))),
  );

/** Unknown without a key that could say it, or only assumed since no key says it. */
const isAssumed = ({ origin }: Quantity<unknown>): boolean =>
  origin.kind === 'unresolved'
    ? origin.key === undefined
    : origin.kind === 'derived' && origin.formula.startsWith('assumed: ');

/** What the code says; of precision, too, that it says nothing of it. */
const isTold =
  (name: QuantityName) =>
  ({ value, origin }: Quantity<unknown>): boolean =>
    value !== null &&
    (origin.kind === 'file' || origin.kind === 'code' || (name === 'precision' && origin.kind === 'derived'));

/** What the config states wins over what its program would do by default, or leaves open; so does a multiplier it leaves open. */
function withStated(run: RunSpec, own: RunSpec): RunSpec {
  if (run === own) return run;
  const { sequencesPerSample: rows } = own.details;
  const { model } = own.quantities;
  const isBase = model.origin.kind === 'file' && isOfAdapter(run.quantities.model);
  const isOpen = rows?.origin.kind === 'unresolved' && rows.origin.key !== undefined;
  return {
    ...run,
    quantities: {
      ...run.quantities,
      ...winning(own.quantities, run.quantities),
      ...(isBase && { model }),
    },
    details: {
      ...run.details,
      ...winning(own.details, run.details),
      ...(isOpen && { sequencesPerSample: rows }),
    },
  };
}

/** A folder of adapters, which libraries load with the model beneath: the config states that one by another key. */
const isOfAdapter = ({ origin }: Quantity<unknown>): boolean =>
  (origin.kind === 'file' || origin.kind === 'referenced') &&
  /adapter|lora|peft/i.test(String(parsePath(origin.at.path).at(-1)));

/** What is stated where the other says only what is usual; also what follows from it where the other knows nothing. */
function winning<Answers extends object>(own: Answers, other: Answers): Partial<Answers> {
  const others = other as Readonly<Record<string, Quantity<unknown>>>;
  const found = Object.entries(own as typeof others).filter(
    ([
      name,
      {
        value,
        origin: { kind },
      },
    ]) => {
      const by = others[name]?.origin.kind ?? 'unresolved';
      const isWeak = by === 'unresolved' || (by === 'default' && kind === 'file');
      return isWeak && value !== null && (kind === 'file' || kind === 'derived');
    },
  );
  return Object.fromEntries(found) as Partial<Answers>;
}

const mayBeStarted = (reading: Reading, own: RunSpec | undefined): boolean =>
  own ? startsAlone(reading, own) || isNamed(reading, own) : isUnread(reading);

/** True for a file of data whose keys no reader knows. */
const isUnread = ({ file, dialect, runs }: Reading): boolean =>
  dialect === null && runs.length === 0 && /\.(?:ya?ml|json|toml)$/.test(file);

/** True for a config whose run begins in it, outside any envelope. */
const startsAlone = ({ file }: Reading, { role, launched, sources }: RunSpec): boolean =>
  role === 'run' && launched === undefined && sources.some(({ path }) => path === file);

/** True for a part that configs name: a DeepSpeed or accelerate file. Nothing names an envelope. */
const isNamed = ({ file, runs }: Reading, { role, dialect, sources }: RunSpec): boolean =>
  role === 'part' && runs.length === 1 && PARTS.has(dialect) && sources[0]?.path === file;

const PARTS: ReadonlySet<string> = new Set(['deepspeed', 'accelerate']);

/** True for a config's run that uses the part. */
const isTaking = ({ role, sources }: RunSpec, by: string, part: string): boolean =>
  role === 'run' &&
  sources.some(({ path }) => path === by) &&
  sources.some(({ path, via }) => path === part && via.kind === 'reference');

/** Limit of runs that use a part; each is shown next to it. */
const MOST_USERS_OF_PART = 4;

const withRunsThatUse = (own: RunSpec, starts: readonly Start[]): readonly RunSpec[] => [
  own,
  ...starts.slice(0, MOST_USERS_OF_PART).map(({ file, run }): RunSpec => ({
    ...run,
    startedBy: { files: [file], agree: true, ofOtherFile: true },
  })),
];

/** True for a run that a file starts with the config; a config that only inherits from it starts nothing. */
const isStart = ({ launched, sources }: RunSpec, by: string, config: string): boolean =>
  launched !== undefined &&
  sources.some(({ path }) => path === by) &&
  sources.some(({ path }) => path === config);

function startedRuns(own: readonly RunSpec[], all: readonly Start[]): readonly RunSpec[] {
  // Documented commands count if no script starts the config, and only if they agree.
  const scripts = all.filter(({ file }) => !isWritten(file));
  const starts = scripts.length > 0 ? scripts : asWritten(all.filter(start => !isOtherExample(start, own)));
  if (starts.length === 0) return own;
  const files = [...new Set(starts.map(({ file }) => file))].sort();
  const [first] = files;
  const ofFirst = starts.filter(({ file }) => file === first).map(({ run }) => run);
  const isOneWay = ofFirst.length === 1 || !files.some(isWritten);
  const agree =
    isOneWay &&
    files.every(file => {
      const others = starts.filter(one => one.file === file);
      return (
        others.length === ofFirst.length && others.every(({ run }, i) => meaning(run) === meaning(ofFirst[i]))
      );
    });
  const startedBy = { files, agree };
  if (!agree) return own.map(run => ({ ...run, startedBy }));
  // The position of a command in a README does not tell which run it is, and the only run needs no job's name.
  const isNamed = ofFirst.length > 1 && !files.some(isWritten);
  return ofFirst.map(run => ({ ...run, startedBy, ...(!isNamed && { name: own[0]?.name ?? '' }) }));
}

/** An explained command that changes what the config says is an example of its options, not the config's run. */
const isOtherExample = ({ file, run }: Start, [own]: readonly RunSpec[]): boolean =>
  isExplaining(file) &&
  own !== undefined &&
  STATED.some(name => {
    const { origin, value } = own.quantities[name];
    return origin.kind === 'file' && JSON.stringify(value) !== JSON.stringify(run.quantities[name].value);
  });

const STATED = ['model', 'microBatchSize', 'globalBatchSize', 'gradAccum', 'seqLen', 'optimizer'] as const;

/** If a file starts a config several times in the same way, the first time. */
const asWritten = (starts: readonly Start[]): readonly Start[] =>
  starts.filter(
    ({ file, run }, i) =>
      !starts.slice(0, i).some(one => one.file === file && meaning(one.run) === meaning(run)),
  );

/** The values of a run, whatever their origins. */
const meaning = (run: RunSpec | undefined): string =>
  JSON.stringify(run && Object.entries(run.quantities).map(([name, { value }]) => [name, value]));

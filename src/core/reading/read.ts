import { couldBeRead, mayHaveCommands } from '../dialects/couldBe';
import { dialectOf, dialectOfScript, findDialect, programs } from '../dialects/find';
import type { ConfigEnvironment } from './ports';
import { isUnknown } from '../spec/quantity';
import type { RunSpec } from '../spec/runSpec';
import { parseConfig } from '../yaml/file';
import { isProgram } from '../text/paths';
import type { YamlDocument, YamlFile } from '../yaml/node';
import { resolve } from '../yaml/path';
import { buildRun } from '../dialects/engine/build';
import { alone } from '../dialects/engine/compose';
import type { Composer, Composition, Layer } from '../dialects/engine/compose';
import { defaultsOf } from '../dialects/engine/hydra/defaultsList';
import { composerOf } from '../dialects/defined/compile';
import { ConfigFiles } from '../dialects/engine/configFiles';
import { overDefaults } from '../dialects/command/configList';
import { isCarrier } from '../dialects/envelopes/carrier';
import { isScript, readScript } from '../dialects/envelopes/batchScript';
import type { Dialect } from '../dialects/dialect';
import { withoutEqualTurns } from '../dialects/turns';
import { addNote } from '../dialects/engine/note';
import type { Note } from '../dialects/engine/note';
import { GENERIC } from '../dialects/generic/name';
import { KnownDialects } from '../dialects/known';
import type { Known } from '../dialects/known';
import { referencesOf } from '../dialects/engine/references';
import { sourcesOf } from '../dialects/engine/sources';
import { looksLikePythonConfig, PYTHON_CONFIG } from '../dialects/engine/pythonConfigs';
import { stagesOf } from './trainingStages';
import { OF_LIBRARY } from '../dialects/generic/name';
import { ownComposer, recognizeConfig, recognizeFlags, recognizeUnknown } from '../dialects/stranger';
import { ownSizesOf } from '../dialects/generic/ownSizes';
import { shellScript } from '../dialects/shellScript';
import type { CommandLine } from '../python/given';
import type { Signal } from '../signal';

/** A file, read as its framework would. */
export interface Reading {
  readonly file: string;
  /** Has no documents if the file was rejected before parsing. */
  readonly yaml: YamlFile;
  /** The dialect of the first recognized document; null if there is none. */
  readonly dialect: string | null;
  readonly runs: readonly RunSpec[];
  /** Things that cannot be intended, for rules to report. */
  readonly notes: readonly Note[];
  /**
   * Files that the reading depends on, including missing ones. An entry with a trailing slash is a listed folder.
   */
  readonly dependencies: readonly string[];
}

/**
 * Reads a config and the other files of its runs: files it names, stages next to it. Other files only cost a scan
 * of their keys. Once `signal` is aborted, reads no more files, and the result must be ignored.
 */
export async function readConfig(
  file: string,
  text: string,
  world: ConfigEnvironment,
  signal: Signal,
): Promise<Reading> {
  if (isProgram(file)) return readProgramFile(file, text, world, signal);
  const known = new KnownDialects((await world.definitions?.near(file)) ?? []);
  if (!known.couldRead(text, file)) return unrecognizedFile(file, { text, documents: [], problems: [] });
  const yaml = isCarrier(file) || isScript(text, file) ? readScript(text) : parseConfig(file, text);
  const files = filesAround(file, yaml, world, signal, known);
  const notes: Note[] = [];
  const read: ReadRun[] = [];
  const recognized = await recognizedIn(file, yaml, files, known);
  for (const found of recognized) {
    const name = found.stage ?? documentName(recognized, found.opened);
    const best = await bestRunsOf(found, name, files, known);
    read.push(...best);
    for (const note of best.flatMap(one => one.notes)) addNote(notes, note);
  }
  const runs = withoutEqualTurns(read);
  const dialectId = recognized[0]?.dialect.id ?? null;
  return {
    ...unrecognizedFile(file, yaml),
    dialect: dialectId === shellScript.id && runs.length === 0 ? null : dialectId,
    runs,
    notes,
    dependencies: files.dependencies,
  };
}

interface ReadRun {
  readonly run: RunSpec;
  readonly cell: Composition['cell'];
  readonly notes: readonly Note[];
}

async function runsOf(
  { dialect, definition, opened }: Found,
  name: string,
  files: ConfigFiles,
  known: KnownDialects,
): Promise<readonly ReadRun[]> {
  const runs: ReadRun[] = [];
  for (const composition of await compositionsOf(dialect, opened, files, known)) {
    const named = { ...composition, name: [name, composition.name].filter(Boolean).join(' ') };
    const own = composition.dialect === undefined ? { dialect, definition } : dialectIn(composition, known);
    if (own === null) continue;
    const notes: Note[] = [];
    runs.push({ run: await readRun(own, named, files, notes), cell: composition.cell, notes });
  }
  return runs;
}

/** What the framework of its keys makes of it; a reading by vocabulary where that finds next to nothing. */
async function bestRunsOf(
  found: Found,
  name: string,
  files: ConfigFiles,
  known: KnownDialects,
): Promise<readonly ReadRun[]> {
  const runs = await runsOf(found, name, files, known);
  const other = runs.every(({ run }) => saysNothing(run)) ? await strangerIn(found, files, known) : null;
  return other ? runsOf({ ...found, ...other }, name, files, known) : runs;
}

/** A framework that finds neither its model nor its batch in a file. */
const saysNothing = ({ role, launched, dialect, quantities }: RunSpec): boolean =>
  role === 'run' &&
  launched === undefined &&
  dialect !== GENERIC &&
  [quantities.model, quantities.microBatchSize, quantities.globalBatchSize].every(isUnknown);

/**
 * The reading by vocabulary, where it finds the batch, or the micro batch that the framework does not: keys of a program of
 * one's own are only called like the framework's.
 */
async function strangerIn(
  { opened, definition }: Found,
  files: ConfigFiles,
  known: KnownDialects,
): Promise<Known | null> {
  const other = definition === null ? await recognizeUnknown(opened, files, known) : null;

  const rows = other?.definition?.rows ?? {};
  return 'microBatchSize' in rows || 'globalBatchSize' in rows ? other : null;
}

/** The files around one that starts programs. */
const filesAround = (
  path: string,
  yaml: YamlFile,
  { files }: ConfigEnvironment,
  signal: Signal,
  known: KnownDialects,
): ConfigFiles =>
  new ConfigFiles(
    files,
    signal,
    { path, yaml },
    programs,
    (document, script, isOwn) => {
      const id = dialectOfDocument(document, known, script, isOwn)?.dialect.id ?? null;
      const isGuess = id === null || id === GENERIC;
      return (isGuess && isOwn !== true && script ? dialectOfScript(script) : null) ?? id;
    },
    {
      ownProgram: async (...asked) => (await import('./program/ownProgram')).ownProgramOf(...asked),
      programWithin: async (...asked) => (await import('./program/project')).programWithin(...asked),
      config: parsedPython,
    },
  );

/** The runs of a program or a notebook; the parser is only loaded if it makes a call that is one. */
async function readProgramFile(
  file: string,
  text: string,
  world: ConfigEnvironment,
  signal: Signal,
  commandLine: CommandLine | null = null,
): Promise<Reading> {
  const yaml: YamlFile = { text, documents: [], problems: [] };
  if (commandLine?.config === undefined && !couldBeRead(text, file)) return unrecognizedFile(file, yaml);
  const { pythonRunsIn } = await import('./program/project');
  const known = new KnownDialects([]);
  const files = filesAround(file, yaml, world, signal, known);
  const notes: Note[] = [];
  const runs: RunSpec[] = [];
  const dialectHere = (composition: Composition): Known | null => dialectIn(composition, known);
  for (const { composition, ...own } of await pythonRunsIn(file, text, files, dialectHere, commandLine)) {
    runs.push(await readRun(own, composition, files, notes));
  }
  if (mayHaveCommands(text, file)) {
    const opened: Layer = { path: file, yaml, document: 0, mount: null };
    for (const composition of await (
      await import('./program/notebookCommands')
    ).notebookRuns(opened, files)) {
      const name = runs.length === 0 ? composition.name : String(runs.length + 1);
      const own = dialectHere(composition);
      if (own) runs.push(await readRun(own, { ...composition, name }, files, notes));
    }
  }
  if (runs.length === 0 && looksLikePythonConfig(text)) return readPythonConfig(file, text, world, signal);
  return {
    ...unrecognizedFile(file, yaml),
    dialect: runs[0]?.dialect ?? null,
    runs,
    notes,
    dependencies: files.dependencies,
  };
}

/** The runs of a program that is started without any argument: its options have their defaults. */
export const readStarted: typeof readConfig = (file, text, world, signal) =>
  readProgramFile(file, text, world, signal, { flags: new Map(), words: [] });

/** Reads the run of a program that gets this config as an argument. */
export const readHanded =
  (config: string): typeof readConfig =>
  (file, text, world, signal) =>
    readProgramFile(file, text, world, signal, { flags: new Map(), config });

/** The parser of Python is only loaded for such a file. */
const parsedPython = async (path: string, text: string): Promise<YamlFile> =>
  (await import('./program/config')).parsePythonConfig(path, text);

/** A config in Python, as the programs that load it do: a file without a model of its own, and beneath it, is no run. */
async function readPythonConfig(
  file: string,
  text: string,
  world: ConfigEnvironment,
  signal: Signal,
): Promise<Reading> {
  const yaml = await parsedPython(file, text);
  const opened: Layer = { path: file, yaml, document: 0, mount: null };
  const files = new ConfigFiles(world.files, signal, opened, programs, undefined, { config: parsedPython });
  const dialect = dialectOf(PYTHON_CONFIG);
  const notes: Note[] = [];
  const runs: RunSpec[] = [];
  for (const composition of (await dialect.compose?.(opened, files)) ?? []) {
    runs.push(await readRun({ dialect, definition: null }, composition, files, notes));
  }
  const id = runs.length > 0 ? dialect.id : null;
  return { ...unrecognizedFile(file, yaml), dialect: id, runs, notes, dependencies: files.dependencies };
}

/** The dialect of a document that a command names; of a script, that of its own flags or config. */
function dialectOfDocument(
  document: YamlDocument,
  known: KnownDialects,
  script?: string,
  isOwn = false,
): Known | null {
  const recognized = (isOwn ? null : known.recognize(document)) ?? recognizeFlags(document, script);
  return recognized ?? (script === undefined ? null : recognizeConfig(document, script));
}

/**
 * The dialect of a composition; where its flags or its config are a script's own, the one that their names make; null if
 * they make none.
 */
function dialectIn(composition: Composition, known: KnownDialects): Known | null {
  const { dialect = '', script, layers, isShared, beneath = [], silent, hasLoop } = composition;
  const [command] = layers;
  const own = overDefaults(command, beneath[0] ?? null);
  if (dialect !== GENERIC) return known.byId(dialect);
  if (!own) return null;
  return (
    recognizeFlags(own, script, silent, hasLoop) ??
    recognizeConfig(own, script ?? '', { isWhole: silent ?? isShared !== true, hasLoop }, composition) ??
    // What the program says by itself may contradict the flags, which win.
    recognizeFlags(command.yaml.documents[command.document] ?? own, script)
  );
}

const documentName = ({ length }: readonly Found[], { document }: Layer): string =>
  length > 1 ? `document ${document + 1}` : '';

/** A config in a file: a document, or a stage of training that it has a section for. */
interface Found extends Known {
  readonly opened: Layer;
  readonly stage?: string;
}

/** The documents of a file that are configs: by their own keys, else by what they lie on or by vocabulary. */
async function recognizedIn(
  path: string,
  yaml: YamlFile,
  files: ConfigFiles,
  known: KnownDialects,
): Promise<readonly Found[]> {
  const openedAt = (document: number): Layer => ({ path, yaml, document, mount: null });
  const own = known.recognizeAll(yaml.documents);
  const [only, ...others] = yaml.documents;
  if (own.length > 0 || !only || others.length > 0 || known.isContested(only)) {
    return own.map(({ document, ...one }) => ({ ...one, opened: openedAt(document) }));
  }
  const opened = openedAt(only.index);
  const found = await recognizeUnknown(opened, files, known);
  return found ? [{ ...found, opened }] : stagesIn(opened, only, files, known);
}

/** The stages of a config that says several things of training, one in each. */
async function stagesIn(
  opened: Layer,
  document: YamlDocument,
  files: ConfigFiles,
  known: KnownDialects,
): Promise<readonly Found[]> {
  const root = document.root && resolve(document.root);
  const found: Found[] = [];
  for (const stage of root?.kind === 'map' ? stagesOf(root) : []) {
    const layer = { ...opened, yaml: { ...opened.yaml, documents: [{ ...document, root: stage.root }] } };
    const one = await recognizeUnknown(layer, files, known);
    if (one) found.push({ ...one, opened: layer, stage: stage.name });
  }
  return found;
}

const unrecognizedFile = (file: string, yaml: YamlFile): Reading => ({
  file,
  yaml,
  dialect: null,
  runs: [],
  notes: [],
  dependencies: [file],
});

/** The runs of a document; for a config in an envelope, the runs that the config's own dialect finds. */
async function compositionsOf(
  dialect: Dialect,
  opened: Layer,
  files: ConfigFiles,
  known: KnownDialects,
): Promise<readonly Composition[]> {
  const own = (await composerFor(dialect, opened)?.(opened, files)) ?? [alone(opened)];
  const all: Composition[] = [];
  for (const composition of own) {
    const [config, ...over] = composition.layers;
    const named = composition.dialect === undefined ? null : dialectIn(composition, known);
    const isLibrary = named !== null && OF_LIBRARY.has(named.dialect.id);
    const inner = isLibrary ? ownComposer(config) : named?.dialect.compose;
    if (!inner || composition.isComposed || config.path === opened.path) all.push(composition);
    else for (const found of await inner(config, files)) all.push(insideEnvelope(found, composition, over));
  }
  return all;
}

/** How the files of a config are found. Your own program may lay it on any file that it names. */
const composerFor = (dialect: Dialect, opened: Layer): Composer | null =>
  dialect.compose ?? (OF_LIBRARY.has(dialect.id) ? ownComposer(opened) : hydraComposer(opened));

/** Hydra composes configs of any program: its list of defaults tells. */
const hydraComposer = (opened: Layer): Composer | null =>
  defaultsOf(opened).length > 0 ? composerOf('hydra') : null;

const insideEnvelope = (found: Composition, envelope: Composition, over: readonly Layer[]): Composition => ({
  ...envelope,
  name: [envelope.name, found.name].filter(Boolean).join(' '),
  layers: [...found.layers, ...over],
  beneath: [...(envelope.beneath ?? []), ...(found.beneath ?? [])],
  gaps: [...(envelope.gaps ?? []), ...(found.gaps ?? [])],
  notes: [...(envelope.notes ?? []), ...(found.notes ?? [])],
});

async function readRun(
  { dialect, definition }: Known,
  composition: Composition,
  files: ConfigFiles,
  notes: Note[],
): Promise<RunSpec> {
  const own = sourcesOf(dialect.id, composition);
  const { sources, missingFiles: missing } = await referencesOf(dialect, own, files, findDialect);
  for (const { at, why, open } of missing) {
    if (open !== true) addNote(notes, { code: 'missing-file', at, message: why });
  }
  for (const note of composition.notes ?? []) addNote(notes, note);
  const gaps = (composition.gaps ?? []).map(gap => ({ ...gap, by: dialect.id }));
  const missingFiles = [...missing, ...gaps];
  const given = { values: {}, setting: '' };
  const { launched, installs } = composition;
  const all = {
    sources: [...own, ...sources],
    missingFiles,
    given,
    ...(launched && { launched }),
    ...(installs && { installs }),
    ...(definition && { definition }),
  };
  const run = buildRun(composition.name, dialect, all, findDialect, notes);
  return run.framework.id === null && run.role === 'run' ? { ...run, ownSizes: ownSizesOf(own) } : run;
}

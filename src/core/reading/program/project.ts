import type { ConfigFiles } from '../../dialects/engine/configFiles';
import { composedConfig } from '../../dialects/engine/hydra/composed';
import { mayStart, openedProgram, runsOf } from './runs';
import type { OpenedProgram, PythonRun } from './runs';
import { factsOf } from './facts';
import { deviceOfLoop } from './ownDevice';
import { hasOwnLoop } from './ownLoop';
import { couldBeProgram } from '../../dialects/couldBe';
import { rootOf } from '../../dialects/command/nodes';
import type { Located } from '../../text/located';
import { layerOf } from '../../dialects/engine/settings';
import type { Composition, Layer } from '../../dialects/engine/compose';
import type { Known } from '../../dialects/known';
import { startedIn, startedRuns, startsProcesses } from './started';
import type { Started } from './started';
import { programOf } from '../../python/source';
import type { Span } from '../../text/span';
import { parsedProgram, readProgram } from '../../python/program';
import type { Program } from '../../python/program';
import type { Scope } from '../../python/bindings';
import type { CommandLine } from '../../python/given';
import { COMPOSED, Project } from '../../python/project';
import type { MapNode } from '../../yaml/node';

/** Files that import each other, behind each other: configs behind modules behind the program. */
const MOST_ROUNDS = 8;
/** Files and folders that one program may ask for. */
const MOST_FILES = 60;

/**
 * The runs of a program with what it takes from other files of its project: constants, classes and functions of
 * modules, and YAML and JSON files that it opens. Reads only files that a value of a run depends on. `dialectIn`: of a
 * command that it starts.
 */
export async function pythonRunsIn(
  path: string,
  text: string,
  files: ConfigFiles,
  dialectIn: (composition: Composition) => Known | null,
  commandLine: CommandLine | null = null,
): Promise<readonly (Known & { readonly composition: Composition })[]> {
  const { runs, started } = await pythonProject(path, text, files, commandLine);
  const opened = { path, yaml: { text, documents: [], problems: [] }, document: 0, mount: null };
  const processes = (await startedRuns(started, opened, files)).flatMap(composition => {
    const known = dialectIn(composition);
    return known ? [{ ...known, composition }] : [];
  });
  return [...runs, ...processes];
}

/** The runs of a program that stands in another file: in a config map, behind `python -c`. `isFixed`: it is not edited there. */
export function programWithin(
  text: Located,
  { path, yaml }: Layer,
  isFixed: boolean,
): readonly Composition[] {
  const source = programOf(path, text.text);
  if (!source || !couldBeProgram(text.text)) return [];
  const end = text.at.at(-1) ?? 0;
  const inFile = (span: Span): Span => ({
    start: text.at[span.start] ?? end,
    end: span.end > span.start ? (text.at[span.end - 1] ?? end) + 1 : (text.at[span.end] ?? end),
  });
  const opened = { source: { ...source, inFile }, parsed: parsedProgram(source.text) };
  const indent =
    text.at[0] === undefined ? 0 : text.at[0] - (yaml.text.lastIndexOf('\n', text.at[0] - 1) + 1);
  return runsOf(opened, path, yaml.text, null)
    .filter(({ definition }) => definition === null)
    .map(({ composition }) => {
      const [layer, ...over] = composition.layers;
      return { ...composition, layers: [placedIn(layer, isFixed ? null : ' '.repeat(indent)), ...over] };
    });
}

/** New arguments stand on lines that are indented as the program is; null: nothing can be written there. */
function placedIn(layer: Layer, indent: string | null): Layer {
  const root = rootOf(layer);
  if (!root?.places) return layer;
  const { places: stated, ...map } = root;
  if (indent === null) return layerOf(layer, map, layer.mount);
  const calls = stated.calls.map(call => ({
    ...call,
    before: call.before.replaceAll('\n', `\n${indent}`),
    after: call.after.replaceAll('\n', `\n${indent}`),
  }));
  return layerOf(layer, { ...map, places: { ...stated, calls } }, layer.mount);
}

const isAbsolute = (imported: string): boolean => !imported.startsWith('.');

/** False for a module that starts nothing and trains nothing by itself: what it imports is not read. */
const mayRun = (program: Program, { source }: OpenedProgram): boolean =>
  program.isStarted ||
  mayStart(program) ||
  program.besides(name => name === 'backward').length > 0 ||
  startsProcesses(program, source);

const NOTHING = { runs: [], started: [] };

/** What a program makes by itself and starts, with what is known of its project. */
function readIn(
  opened: OpenedProgram,
  path: string,
  text: string,
  project: Project,
): { readonly runs: readonly PythonRun[]; readonly started: readonly Started[] } {
  const program = readProgram(opened.source.text, project, opened.parsed);
  const runs = runsOf(opened, path, text, project, program);
  const layer = { path, yaml: { text, documents: [], problems: [] }, document: 0, mount: null };
  if (project.commandLine === null) return { runs, started: startedIn(program, opened.source, layer) };
  // A program without a trainer says how it trains in functions of other files, too.
  if (runs.length === 0) {
    factsOf(program, opened.source);
    if (hasOwnLoop([opened.source.text])) deviceOfLoop(opened.source.text, project, { start: 0, end: 0 });
  }
  return { runs, started: [] };
}

/** The same for a program that a command starts with flags, and its project. */
export async function pythonProject(
  path: string,
  text: string,
  files: ConfigFiles,
  commandLine: CommandLine | null,
): Promise<{
  readonly runs: readonly PythonRun[];
  readonly started: readonly Started[];
  readonly project: Project;
}> {
  const opened = openedProgram(path, text);
  const alone = opened && readProgram(opened.source.text, null, opened.parsed);
  if (!opened || !alone || (commandLine === null && !mayRun(alone, opened))) {
    return { ...NOTHING, project: new Project(path, { texts: new Map(), folders: new Map() }, commandLine) };
  }
  return readAround(opened, { path, text, isAlone: !alone.imports.some(isAbsolute) }, files, commandLine);
}

/** The same again, each time with the files that the program was found to need. */
async function readAround(
  opened: OpenedProgram,
  { path, text, isAlone }: { readonly path: string; readonly text: string; readonly isAlone: boolean },
  files: ConfigFiles,
  commandLine: CommandLine | null,
): ReturnType<typeof pythonProject> {
  const texts = new Map<string, string | null>();
  const folders = new Map<string, readonly string[]>();
  const composed = new Map<string, MapNode | null>();
  const scopes = new Map<string, Scope>();
  if (!isAlone) {
    // Asked for at once: each round reads the whole program again.
    for (const folder of new Project(path, { texts, folders }).moduleFolders()) {
      folders.set(`${folder}/`, await files.list(folder));
    }
  }
  for (let round = 0; ; round++) {
    const project = new Project(path, { texts, folders, composed, scopes }, commandLine);
    const { runs, started } = readIn(opened, path, text, project);
    const wanted = [...project.wanted].slice(0, MOST_FILES - texts.size - folders.size);
    if (wanted.length === 0 || round + 1 >= MOST_ROUNDS) return { runs, started, project };
    for (const one of wanted) {
      if (one.startsWith(COMPOSED)) {
        const root = one.slice(COMPOSED.length);
        const found = await composedConfig(root, commandLine?.flags ?? new Map(), files);
        composed.set(root, found?.root ?? null);
      } else if (one.endsWith('/')) folders.set(one, await files.list(one.slice(0, -1)));
      else texts.set(one, await files.text(one));
    }
  }
}

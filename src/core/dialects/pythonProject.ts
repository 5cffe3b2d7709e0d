import type { ConfigFiles } from './engine/configFiles';
import { composedConfig } from './engine/hydra/composed';
import { openedProgram, runsOf } from './pythonRuns';
import type { PythonRun } from './pythonRuns';
import { factsOf } from './programFacts';
import { readProgram } from '../python/program';
import type { CommandLine } from '../python/given';
import { COMPOSED, Project } from '../python/project';
import type { MapNode } from '../yaml/node';

/** Files that import each other, behind each other: configs behind modules behind the program. */
const MOST_ROUNDS = 8;
/** Files and folders that one program may ask for. */
const MOST_FILES = 60;

/**
 * The runs of a program with what it takes from other files of its project: constants, classes and functions of
 * modules, and YAML and JSON files that it opens. Reads only files that a value of a run depends on.
 */
export const pythonRunsIn = async (
  path: string,
  text: string,
  files: ConfigFiles,
): Promise<readonly PythonRun[]> => (await pythonProject(path, text, files, null)).runs;

/** The same for a program that a command starts with flags, and its project. */
export async function pythonProject(
  path: string,
  text: string,
  files: ConfigFiles,
  commandLine: CommandLine | null,
): Promise<{ readonly runs: readonly PythonRun[]; readonly project: Project }> {
  const texts = new Map<string, string | null>();
  const folders = new Map<string, readonly string[]>();
  const composed = new Map<string, MapNode | null>();
  const opened = openedProgram(path, text);
  for (let round = 0; ; round++) {
    const project = new Project(path, { texts, folders, composed }, commandLine);
    const runs = opened === null ? [] : runsOf(opened, path, text, project);
    // A program without a trainer says how it trains in functions of other files, too.
    if (opened && commandLine && runs.length === 0) {
      factsOf(readProgram(opened.source.text, project, opened.parsed), opened.source);
    }
    const wanted = [...project.wanted].slice(0, MOST_FILES - texts.size - folders.size);
    if (wanted.length === 0 || round + 1 >= MOST_ROUNDS) return { runs, project };
    for (const one of wanted) {
      if (one.startsWith(COMPOSED)) {
        const root = one.slice(COMPOSED.length);
        composed.set(root, await composedConfig(root, commandLine?.flags ?? new Map(), files));
      } else if (one.endsWith('/')) folders.set(one, await files.list(one.slice(0, -1)));
      else texts.set(one, await files.text(one));
    }
  }
}

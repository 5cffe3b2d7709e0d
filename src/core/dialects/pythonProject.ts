import type { ConfigFiles } from './engine/configFiles';
import { openedProgram, runsOf } from './pythonRuns';
import type { PythonRun } from './pythonRuns';
import { Project } from '../python/project';

/** Files that import each other, behind each other: configs behind modules behind the program. */
const MOST_ROUNDS = 8;
/** Files and folders that one program may ask for. */
const MOST_FILES = 60;

/**
 * The runs of a program with what it takes from other files of its project: constants, classes and functions of
 * modules, and YAML and JSON files that it opens. Reads only files that a value of a run depends on.
 */
export async function pythonRunsIn(
  path: string,
  text: string,
  files: ConfigFiles,
): Promise<readonly PythonRun[]> {
  const texts = new Map<string, string | null>();
  const folders = new Map<string, readonly string[]>();
  const opened = openedProgram(path, text);
  let runs: readonly PythonRun[] = [];
  for (let round = 0; opened !== null && round < MOST_ROUNDS; round++) {
    const project = new Project(path, { texts, folders });
    runs = runsOf(opened, path, text, project);
    const wanted = [...project.wanted].slice(0, MOST_FILES - texts.size - folders.size);
    if (wanted.length === 0) break;
    for (const one of wanted) {
      if (one.endsWith('/')) folders.set(one, await files.list(one.slice(0, -1)));
      else texts.set(one, await files.text(one));
    }
  }
  return runs;
}

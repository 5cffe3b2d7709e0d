import type { ConfigFiles } from './engine/configFiles';
import type { Composition, Layer, OwnProgram } from './engine/compose';
import { layerOf, mapOf } from './engine/settings';
import type { Setting } from './engine/settings';
import { nodeOf } from './pythonNodes';
import { factsOf, isPlain } from './programFacts';
import { pythonProject } from './pythonProject';
import type { CommandLine } from '../python/commandLine';
import { readProgram } from '../python/program';
import { programOf } from '../python/source';
import { foldersAbove, isAbsolute, join } from '../text/paths';

/** Options of its own, and no trainer whose arguments they could be. */
const OPTIONS = /\.add_argument\(/;
const TRAINERS = /Trainer\b|TrainingArguments|HfArgumentParser|TrlParser|(?:SFT|DPO|GRPO|KTO|ORPO)Config/;

/** Folders above a script in which the program that it starts may lie. */
const MOST_FOLDERS = 8;

/**
 * The program that a command starts, read with the flags of the command: its runs, and its options with their
 * defaults. Null if it is not there.
 */
export async function ownProgramOf(
  script: string,
  near: string,
  settings: readonly Setting[],
  files: ConfigFiles,
): Promise<OwnProgram | null> {
  const found = await textOf(script.endsWith('.py') ? script : `${script}.py`, near, files);
  const source = found && programOf(found.path, found.text);
  if (!found || !source) return null;
  const flags: CommandLine['flags'] = new Map(
    settings.map(({ path, value }) => [path.join('.').replaceAll('-', '_'), value]),
  );
  const { runs, project } = await pythonProject(found.path, found.text, files, { flags });
  const program = readProgram(source.text, project);
  const options = program.options();
  const opened: Layer = {
    path: found.path,
    yaml: { text: found.text, documents: [], problems: [] },
    document: 0,
    mount: null,
  };
  const defaults = options.map(({ name, value }): Setting => ({
    path: [name],
    keySpan: source.inFile(value.span),
    value: nodeOf(value, source),
    from: [name],
  }));
  const start = { start: 0, end: 0 };
  const told = [...factsOf(program, source), ...defaults];
  return {
    isPlain: isPlain(source.text, told),
    hasLoop: OPTIONS.test(source.text) && !TRAINERS.test(source.text),
    options: told.length > 0 ? layerOf(opened, mapOf(told, start, null), '') : null,
    runs: runs.map(({ composition }): Composition => composition),
  };
}

async function textOf(
  name: string,
  near: string,
  files: ConfigFiles,
): Promise<{ path: string; text: string } | null> {
  const paths = isAbsolute(name)
    ? [name]
    : foldersAbove(near, MOST_FOLDERS).map(folder => join(folder, name));
  for (const path of paths) {
    const text = await files.text(path);
    if (text !== null) return { path, text };
  }
  return null;
}

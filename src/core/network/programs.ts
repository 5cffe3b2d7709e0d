import type { Project } from '../python/project';
import { basename, foldersAbove, join } from '../text/paths';

/** Programs that may start a run, by their names. */
const STARTS = /train|^main|^run|_main\.|^(?:fit|cli|experiment|launch)\./i;

const mayStart = (name: string): boolean => name.endsWith('.py') && STARTS.test(name);

/** Folders that hold them. */
const HOLDERS = /^(?:scripts?|tools|src|bin|train(?:ing)?|cli)$/;

const LOADS = /yaml|OmegaConf|hydra|json5?\.load|tomllib|toml\.load|LightningCLI/;
const TRAINS = /\.backward\(|\.fit\(|Trainer\(|optim\.|LightningCLI\(|instantiate\(/;

/** Folders above a config. */
const MOST_FOLDERS = 4;
const MOST_READ = 12;
const MOST_RUN = 3;

/**
 * Programs near a config that load one and train, the likeliest first: those that name it, then those that are called
 * like a training. What isn't read yet is `wanted` in the project.
 */
export function programsOf(project: Project): readonly string[] {
  const found: string[] = [];
  for (const folder of foldersAbove(project.path, MOST_FOLDERS)) {
    const names = project.names(folder);
    found.push(...names.filter(name => mayStart(name)).map(name => join(folder, name)));
    for (const inner of names.filter(name => HOLDERS.test(name))) {
      const below = join(folder, inner);
      found.push(
        ...project
          .names(below)
          .filter(name => mayStart(name))
          .map(name => join(below, name)),
      );
    }
    // A project's own root ends the search.
    if (names.some(name => /^(?:\.git|setup\.py|pyproject\.toml|requirements\.txt)$/.test(name))) break;
  }
  const config = basename(project.path);
  return found
    .slice(0, MOST_READ)
    .map(path => ({ path, score: scoreOf(project.text(path), basename(path), config) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST_RUN)
    .map(({ path }) => path);
}

function scoreOf(text: string | null, name: string, config: string): number {
  if (text === null || !LOADS.test(text) || !TRAINS.test(text)) return 0;
  const stem = config.slice(0, config.lastIndexOf('.'));
  const isNamed = [config, `config_name="${stem}"`, `config_name='${stem}'`].some(one => text.includes(one));
  return 1 + (isNamed ? 4 : 0) + (/train/i.test(name) ? 1 : 0);
}

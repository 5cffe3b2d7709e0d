import type { Project } from '../python/project';
import { basename, foldersAbove, join } from '../text/paths';

/** Programs that may start a run, by their names. */
const STARTS = /train|^main|^run|_main\.|^(?:fit|cli|experiment|launch)\./i;

const mayStart = (name: string): boolean => name.endsWith('.py') && STARTS.test(name);

/** Folders that hold them. */
const HOLDERS = /^(?:scripts?|tools|src|bin|train(?:ing)?|cli)$/;

const LOADS = /yaml|OmegaConf|hydra|json5?\.load|tomllib|toml\.load|LightningCLI/;
const TRAINS = /\.backward\(|\.fit\(|Trainer\(|optim\.|LightningCLI\(|instantiate\(/;

/** What only a project's own folder has. */
const ROOTS = /^(?:\.git|setup\.py|pyproject\.toml|requirements\.txt)$/;

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
    if (names.some(name => ROOTS.test(name))) break;
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

/** Folders that hold classes of networks. */
const MODELS =
  /^(?:models?|net(?:work)?s?|archs?|architectures?|modeling|src|lib|core|segmentation|classification)$/i;
const MOST_SEARCHED = 40;

/** The file near a config that defines a class, which a registry or `getattr` finds by its name; null: none, or several. */
export function classFile(project: Project, name: string): string | null {
  const heads = [`\nclass ${name}(`, `\nclass ${name}:`];
  const defines = (text: string): boolean => heads.some(head => `\n${text}`.includes(head));
  for (const folder of foldersAbove(project.path, MOST_FOLDERS)) {
    const names = project.names(folder);
    const first = names.filter(one => MODELS.test(one)).map(one => join(folder, one));
    const second = first.flatMap(one =>
      project
        .names(one)
        .filter(inner => MODELS.test(inner))
        .map(inner => join(one, inner)),
    );
    const files = [folder, ...first, ...second].flatMap(one =>
      project
        .names(one)
        .filter(file => file.endsWith('.py'))
        .map(file => join(one, file)),
    );
    const found = files.slice(0, MOST_SEARCHED).filter(file => defines(project.text(file) ?? ''));
    if (found.length > 0) return found.length === 1 ? (found[0] ?? null) : null;
    if (names.some(one => ROOTS.test(one))) break;
  }
  return null;
}

function scoreOf(text: string | null, name: string, config: string): number {
  if (text === null || !LOADS.test(text)) return 0;
  const stem = config.slice(0, config.lastIndexOf('.'));
  const isNamed = [config, `config_name="${stem}"`, `config_name='${stem}'`].some(one => text.includes(one));
  // A class of another file may train.
  if (!isNamed && !TRAINS.test(text)) return 0;
  return 1 + (isNamed ? 4 : 0) + (/train/i.test(name) ? 1 : 0);
}

/** A kind of file that carries commands among other text. */
type Carrier =
  | 'make'
  | 'just'
  | 'markdown'
  | 'ci'
  | 'tasks'
  | 'launch'
  | 'unit'
  | 'supervisor'
  | 'docker'
  | 'modelfile'
  | 'scripts';

const KINDS: readonly (readonly [kind: Carrier, path: RegExp])[] = [
  ['make', /(?:^|\/)(?:GNUmakefile|[Mm]akefile|[^/]+\.mk)$/],
  ['just', /(?:^|\/)(?:\.?[Jj]ustfile|[^/]+\.just)$/],
  ['markdown', /\.(?:md|markdown|mdx)$/i],
  ['ci', /(?:^|\/)(?:\.github\/workflows\/[^/]+\.ya?ml|\.gitlab-ci\.ya?ml|azure-pipelines\.ya?ml)$/],
  ['ci', /(?:^|\/)(?:\.circleci\/config|bitbucket-pipelines)\.ya?ml$/],
  ['ci', /(?:^|\/)[Tt]askfile(?:\.dist)?\.ya?ml$/],
  // npm, pnpm; poetry, pdm, poe, hatch; pixi.
  ['scripts', /(?:^|\/)(?:package\.json|pyproject\.toml|pixi\.toml)$/],
  ['tasks', /(?:^|\/)\.vscode\/tasks\.json$/],
  ['unit', /\.(?:service|container)$/],
  ['supervisor', /(?:^|\/)supervisord?(?:\.d\/[^/]+)?\.(?:conf|ini)$/],
  ['docker', /(?:^|\/)(?:(?:Dock|Contain)erfile(?:\.[^/]+)?|[^/]+\.[Dd]ockerfile)$/],
  ['modelfile', /(?:^|\/)[^/]*[Mm]odelfile[^/]*$/],
  ['launch', /(?:^|\/)\.vscode\/launch\.json$/],
];

/** The kind of a file by its path; null: it carries no commands. */
export const kindOf = (path: string): Carrier | null =>
  KINDS.find(([, pattern]) => pattern.test(path))?.[0] ?? null;

/** True for a file whose commands stand among other text: a Makefile, a README, tasks of an editor. */
export const isCarrier = (path: string): boolean => kindOf(path) !== null;

import { releaseFilesIn, releaseOfMetadata, releasesOfFile } from '../dialects/releases/files';
import { atRelease } from '../memory/frameworks/atRelease';
import { lacksSdpa } from '../memory/frameworks/behavior/attentionDefault';
import { profileOf, transformersOf } from '../memory/frameworks/profileOf';
import type { ModelFacts } from '../models/model';
import type { RunSpec, StatedRelease } from '../spec/runSpec';
import { packageName } from '../spec/version';
import type { Files } from '../text/files';
import { dirname, join } from '../text/paths';
import type { World } from './world';

/** Folders above a config that belong to its project; more is another project's. */
const MOST_FOLDERS = 3;

/** Files of one folder that are read for releases. */
const MOST_FILES = 8;

/** Libraries whose releases change what a trainer takes. */
const AROUND_TRAINERS = ['transformers', 'torch', 'trl', 'peft', 'bitsandbytes'];

/** What is found of each library, by its normalized name; the first that is found counts. */
type Found = Map<string, StatedRelease>;

/**
 * A run with the releases that are really there: what the same commands install, the image's tag, locks and
 * requirements of the project, its environment, else (for servers) what the machine has. Without any, a framework
 * keeps the release that its dialect describes.
 */
export async function withRelease(run: RunSpec, world: World, dependencies: Set<string>): Promise<RunSpec> {
  const { framework, sources } = run;
  if (framework.stated === true) return run;
  const serves = profileOf(framework).serving?.inRelease !== undefined;
  const own = packageName(framework.name);
  const wanted = serves ? [own] : [own, ...AROUND_TRAINERS];
  const found = statedByCommands(run, wanted);
  await statedAround(sources[0]?.path ?? '', { wanted, found, files: world.files, dependencies });
  const machine = serves && !found.has(own) ? await installed(framework.name, world) : null;
  if (machine) add(found, { ...machine, library: own });
  const known = serves ? run : asKnown(run);
  return found.size > 0 ? inReleases(known, own, found) : known;
}

function statedByCommands({ installs = [], launched }: RunSpec, wanted: readonly string[]): Found {
  const found: Found = new Map();
  for (const one of [...installs.toReversed(), ...(launched?.releases ?? [])]) {
    if (wanted.includes(one.library)) add(found, one);
  }
  return found;
}

/** A release that the run's own commands install is stated. */
function asKnown(run: RunSpec): RunSpec {
  const { framework } = run;
  const isKnown = framework.from !== undefined && framework.version !== null;
  return isKnown ? { ...run, framework: { ...framework, stated: true } } : run;
}

function add(found: Found, stated: StatedRelease): void {
  if (!found.has(stated.library)) found.set(stated.library, stated);
}

/** The framework in its own release, among the libraries' releases. They are stated if one of them decides the code. */
function inReleases(run: RunSpec, own: string, found: Found): RunSpec {
  const { framework } = run;
  const [stated, models] = [found.get(own), found.get('transformers')];
  const around = [...found].filter(([library]) => library !== own);
  const libraries = Object.fromEntries(around.map(([library, { release }]) => [library, release]));
  const from = stated?.from ?? (models && `transformers ${models.release} of ${models.from}`);
  return atRelease(run, {
    ...framework,
    ...(stated && { version: stated.release }),
    ...(around.length > 0 && {
      libraries: { ...framework.libraries, ...libraries },
      around: Object.keys(libraries),
    }),
    ...(from !== undefined && { stated: true, from }),
  });
}

/** The run with the attention that the model's class takes by itself in the stated releases. */
export function withItsAttention(run: RunSpec, model: ModelFacts | null): RunSpec {
  const { framework, quantities } = run;
  const { attention } = quantities;
  const isOpen = attention.origin.kind === 'default' && (attention.value ?? 'sdpa') === 'sdpa';
  if (!isOpen || model === null || !lacksSdpa(framework, model.modelType)) return run;
  const origin = {
    kind: 'default',
    framework: 'transformers',
    version: transformersOf(framework),
    source: `models/${model.modelType}: without _supports_sdpa, attention is eager`,
  } as const;
  return { ...run, quantities: { ...quantities, attention: { ...attention, value: 'eager', origin } } };
}

interface Search {
  readonly wanted: readonly string[];
  readonly found: Found;
  readonly files: Files;
  readonly dependencies: Set<string>;
}

async function statedAround(config: string, search: Search): Promise<void> {
  const { wanted, found, files } = search;
  let folder = dirname(config);
  for (let i = 0; i < MOST_FOLDERS; i++) {
    const names = await files.list(folder);
    await statedIn(folder, names, search);
    await inEnvironment(folder, names, search);
    const above = dirname(folder);
    const isDone = wanted.every(library => found.has(library));
    if (isDone || names.includes('.git') || above === folder || above === '') return;
    folder = above;
  }
}

async function statedIn(folder: string, names: readonly string[], search: Search): Promise<void> {
  const { wanted, found, files, dependencies } = search;
  for (const name of releaseFilesIn(names).slice(0, MOST_FILES)) {
    if (wanted.every(library => found.has(library))) return;
    const path = join(folder, name);
    const answer = await files.read(path);
    dependencies.add(path);
    const pins = 'text' in answer ? releasesOfFile(name, answer.text) : null;
    for (const library of wanted) {
      const release = pins?.get(library);
      if (release !== undefined) add(found, { library, release, from: name });
    }
  }
}

/** Folders of virtual environments. */
const ENVIRONMENTS = ['.venv', 'venv'];

/** A virtual environment next to the config: the packages' own metadata. */
async function inEnvironment(folder: string, names: readonly string[], search: Search): Promise<void> {
  const { wanted, found, files } = search;
  for (const name of ENVIRONMENTS.filter(one => names.includes(one))) {
    const lib = join(folder, `${name}/lib`);
    const python = (await files.list(lib)).find(one => one.startsWith('python'));
    if (python === undefined) continue;
    const packages = await files.list(join(lib, `${python}/site-packages`));
    for (const library of wanted) {
      const release = packages.map(one => releaseOfMetadata(one, library)).find(one => one !== null);
      if (release !== undefined) add(found, { library, release, from: `${name} (installed)` });
    }
  }
}

async function installed(library: string, { installed: ask }: World): Promise<StatedRelease | null> {
  const release = (await ask?.(library)) ?? null;
  return release === null ? null : { library, release, from: 'what is installed here' };
}

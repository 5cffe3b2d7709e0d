import { releaseFilesIn, releaseOfFile, releaseOfMetadata } from '../dialects/releases/files';
import { profileOf } from '../memory/frameworks/profileOf';
import type { Framework, RunSpec, StatedRelease } from '../spec/runSpec';
import type { Files } from '../text/files';
import { dirname, join } from '../text/paths';
import type { World } from './world';

/** Folders above a config that belong to its project; more is another project's. */
const MOST_FOLDERS = 3;

/** Files of one folder that are read for releases. */
const MOST_FILES = 8;

/**
 * A server's run with the release that is really there: the image's tag, what the same commands install, locks and
 * requirements of the project, its environment, else what the machine has. Other frameworks keep the release that
 * their dialect describes.
 */
export async function withRelease(run: RunSpec, world: World, dependencies: Set<string>): Promise<RunSpec> {
  const { framework, launched } = run;
  const engine = profileOf(framework).serving;
  if (framework.stated === true) return run;
  const isKnown = framework.from !== undefined && framework.version !== null;
  if (!engine?.inRelease) return isKnown ? { ...run, framework: { ...framework, stated: true } } : run;
  const library = framework.name;
  const stated =
    run.installs?.findLast(one => one.library === library) ??
    launched?.releases?.find(one => one.library === library) ??
    (await statedAround(run.sources[0]?.path ?? '', library, world.files, dependencies)) ??
    (await installed(library, world));
  return stated
    ? inRelease(run, { ...framework, version: stated.release, stated: true, from: stated.from })
    : run;
}

/** The run with the release's own defaults where the files are silent. */
function inRelease(run: RunSpec, framework: Framework): RunSpec {
  const version = framework.version ?? '';
  const share = run.details.memoryShare;
  const engine = profileOf(framework).serving?.inRelease?.(version);
  if (share?.origin.kind !== 'default' || !engine || engine.share === null) return { ...run, framework };
  const memoryShare = { ...share, value: engine.share, origin: { ...share.origin, version } };
  return { ...run, framework, details: { ...run.details, memoryShare } };
}

async function statedAround(
  config: string,
  library: string,
  files: Files,
  dependencies: Set<string>,
): Promise<StatedRelease | null> {
  let folder = dirname(config);
  for (let i = 0; i < MOST_FOLDERS; i++) {
    const names = await files.list(folder);
    const found =
      (await statedIn(folder, names, library, files, dependencies)) ??
      (await inEnvironment(folder, names, library, files));
    if (found) return found;
    const above = dirname(folder);
    if (names.includes('.git') || above === folder || above === '') return null;
    folder = above;
  }
  return null;
}

async function statedIn(
  folder: string,
  names: readonly string[],
  library: string,
  files: Files,
  dependencies: Set<string>,
): Promise<StatedRelease | null> {
  for (const name of releaseFilesIn(names).slice(0, MOST_FILES)) {
    const path = join(folder, name);
    const answer = await files.read(path);
    dependencies.add(path);
    const release = 'text' in answer ? releaseOfFile(name, answer.text, library) : null;
    if (release !== null) return { library, release, from: name };
  }
  return null;
}

/** Folders of virtual environments. */
const ENVIRONMENTS = ['.venv', 'venv'];

/** A virtual environment next to the config: the package's own metadata. */
async function inEnvironment(
  folder: string,
  names: readonly string[],
  library: string,
  files: Files,
): Promise<StatedRelease | null> {
  for (const name of ENVIRONMENTS.filter(one => names.includes(one))) {
    const lib = join(folder, `${name}/lib`);
    const python = (await files.list(lib)).find(one => one.startsWith('python'));
    if (python === undefined) continue;
    const packages = await files.list(join(lib, `${python}/site-packages`));
    for (const one of packages) {
      const release = releaseOfMetadata(one, library);
      if (release !== null) return { library, release, from: `${name} (installed)` };
    }
  }
  return null;
}

async function installed(library: string, { installed: ask }: World): Promise<StatedRelease | null> {
  const release = (await ask?.(library)) ?? null;
  return release === null ? null : { library, release, from: 'what is installed here' };
}

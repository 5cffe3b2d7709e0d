import { INSIDE } from '../models/catalog';
import type { ModelLookup } from '../models/model';
import { modelOfNetwork } from '../models/ownNetwork';
import type { NetworkClass } from '../models/network';
import type { NetworkReading } from '../network/read';
import type { RunSpec, SourceFile } from '../spec/runSpec';
import type { Files } from '../text/files';
import { isProgram } from '../text/paths';
import type { StoredNetwork, World } from './world';

/** A model, or why there is none; `networkWhy`: what stopped the reading of the project's network. */
export type FoundModel = Pick<ModelLookup, 'model' | 'why'> & { readonly networkWhy?: string };

/** Files that import each other, behind each other. */
const MOST_ROUNDS = 20;
/** Files and folders that one network may ask for. */
const MOST_FILES = 160;

/**
 * The network that a class of the project makes, where no known model has the name: from its code, which is only read.
 * `otherwise` if the project has no such class, or does what the reader does not know.
 */
export async function ownNetworkOf(
  run: RunSpec,
  world: World,
  dependencies: Set<string>,
  otherwise: FoundModel,
): Promise<FoundModel> {
  const { network: wanted } = run;
  const [own] = run.sources;
  // A segmenter's backbone is a known model, but no more than a part of it.
  if (!wanted || !own) return otherwise;
  const isPart = wanted.library !== null && run.quantities.model.value?.includes('/') !== true;
  if (otherwise.model !== null && !isPart) return otherwise;
  const reading = await readingOf(world, startOf(run.sources, own), wanted, sampleOf(run), dependencies);
  if (reading === null) return otherwise;
  if (!reading.ok && otherwise.model !== null) return otherwise;
  if (!reading.ok) {
    const named = await namedOf(reading.named, own.path, world.models);
    return named ?? { ...otherwise, networkWhy: reading.why };
  }
  return {
    model: modelOfNetwork(run.quantities.model.value ?? reading.network.name, reading.network),
    why: null,
  };
}

/** A config's own path; of a command or a program, that of the program. */
function startOf(sources: readonly SourceFile[], own: SourceFile): string {
  if (/\.(?:ya?ml|json5?|toml)$/i.test(own.path)) return own.path;
  return (sources.find(({ path }) => isProgram(path)) ?? own).path;
}

const MOST_STORED = 20;

/** An edit of a config seldom changes its network: it is read again only if a file of it changes. */
async function readingOf(
  { files, networks }: Pick<World, 'files' | 'networks'>,
  path: string,
  wanted: NetworkClass,
  sample: ReturnType<typeof sampleOf>,
  dependencies: Set<string>,
): Promise<NetworkReading | null> {
  const { stored } = networks ?? { stored: new Map<string, StoredNetwork>() };
  const key = JSON.stringify([path, wanted, sample]);
  const before = stored.get(key);
  const isSame = before !== undefined && (await isUnchanged(files, before));
  const now = isSame ? before : await readAnew(files, path, wanted, sample);
  stored.delete(key);
  stored.set(key, now);
  const [oldest] = stored.keys();
  if (stored.size > MOST_STORED && oldest !== undefined) stored.delete(oldest);
  for (const one of [...now.texts.keys(), ...now.folders.keys()]) dependencies.add(one);
  return now.reading;
}

async function isUnchanged(files: Files, { texts, folders }: StoredNetwork): Promise<boolean> {
  for (const [path, text] of texts) if ((await textOf(files, path)) !== text) return false;
  for (const [folder, names] of folders) {
    const now = await files.list(folder.slice(0, -1));
    if (now.length !== names.length || now.some((name, at) => name !== names[at])) return false;
  }
  return true;
}

async function textOf(files: Files, path: string): Promise<string | null> {
  const answer = await files.read(path);
  return 'text' in answer ? answer.text : null;
}

async function readAnew(
  files: Files,
  path: string,
  wanted: NetworkClass,
  sample: ReturnType<typeof sampleOf>,
): Promise<StoredNetwork> {
  const [{ readNetwork }, { Project }] = await Promise.all([
    import('../network/read'),
    import('../python/project'),
  ]);
  const texts = new Map<string, string | null>();
  const folders = new Map<string, readonly string[]>();
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const project = new Project(path, { texts, folders });
    const reading = readNetwork(project, wanted, sample);
    const more = [...project.wanted].slice(0, MOST_FILES - texts.size - folders.size);
    if (more.length === 0) return { reading, texts, folders };
    for (const one of more) {
      if (one.endsWith('/')) folders.set(one, await files.list(one.slice(0, -1)));
      else texts.set(one, await textOf(files, one));
    }
  }
  return { reading: null, texts, folders };
}

/** The only known model that the project's code takes from a library: its network is built around it. */
async function namedOf(
  names: readonly string[],
  path: string,
  models: World['models'],
): Promise<FoundModel | null> {
  const [name, ...others] = names;
  if (name === undefined || others.length > 0) return null;
  const { model } = await models.find(name, path);
  if (model === null) return null;
  return { model: { ...model, sameAs: model.id, extra: { ...model.extra, [INSIDE]: true } }, why: null };
}

/** What the run states of a sample. */
function sampleOf({ quantities: { imageSize, seqLen } }: RunSpec) {
  const sides = imageSize.value;
  return {
    sides: sides === null ? null : [sides[1], sides[0]],
    channels: null,
    length: seqLen.value,
  };
}

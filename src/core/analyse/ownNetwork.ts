import { INSIDE } from '../models/catalog';
import type { ModelFacts, ModelLookup } from '../models/model';
import { noFacts } from '../models/noFacts';
import type { RunSpec } from '../spec/runSpec';
import type { World } from './world';

type Found = Pick<ModelLookup, 'model' | 'why'>;

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
  { files, models }: World,
  dependencies: Set<string>,
  otherwise: Found,
): Promise<Found> {
  const { network: wanted } = run;
  const [own] = run.sources;
  if (!wanted || !own || otherwise.model !== null) return otherwise;
  const [{ readNetwork }, { Project }] = await Promise.all([
    import('../network/read'),
    import('../python/project'),
  ]);
  const texts = new Map<string, string | null>();
  const folders = new Map<string, readonly string[]>();
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const project = new Project(own.path, { texts, folders });
    const reading = readNetwork(project, wanted, sampleOf(run));
    const more = [...project.wanted].slice(0, MOST_FILES - texts.size - folders.size);
    if (more.length === 0) {
      if (!reading.ok) return (await namedOf(reading.named, run, models)) ?? otherwise;
      return {
        model: modelOf(run.quantities.model.value ?? reading.network.name, reading.network),
        why: null,
      };
    }
    for (const path of more) {
      dependencies.add(path);
      if (path.endsWith('/')) folders.set(path, await files.list(path.slice(0, -1)));
      else {
        const answer = await files.read(path);
        texts.set(path, 'text' in answer ? answer.text : null);
      }
    }
  }
  return otherwise;
}

/** The only known model that the project's code takes from a library: its network is built around it. */
async function namedOf(
  names: readonly string[],
  run: RunSpec,
  models: World['models'],
): Promise<Found | null> {
  const [name, ...others] = names;
  if (name === undefined || others.length > 0) return null;
  const { model } = await models.find(name, run.sources[0]?.path ?? '');
  if (model === null) return null;
  return { model: { ...model, sameAs: model.id, extra: { ...model.extra, [INSIDE]: true } }, why: null };
}

const modelOf = (id: string, network: NonNullable<ModelFacts['network']>): ModelFacts => ({
  ...noFacts,
  id,
  modelType: 'own_network',
  kind: 'other',
  source: 'user',
  publishedTotal: network.parameters,
  network,
  extra: {},
});

/** What the run states of a sample. */
function sampleOf({ quantities: { imageSize, seqLen } }: RunSpec) {
  const sides = imageSize.value;
  return {
    sides: sides === null ? null : [sides[1], sides[0]],
    channels: null,
    length: seqLen.value,
  };
}

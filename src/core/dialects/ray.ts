import type { Quantity } from '../spec/quantity';
import type { MapNode, YamlNode } from '../yaml/node';
import type { YamlPath } from '../yaml/path';
import { runsOfJob } from './command/jobs';
import { embedded, located } from './command/located';
import { CUDA, nodeAt, entriesOf, itemsOf, rootOf, statedAt, textAt } from './command/nodes';
import { commands } from './command/shell';
import { layerOf, mapOf } from './engine/settings';
import type { Composition, Layer, NearbyFiles, Setting } from './engine/compose';
import { flagsIn } from './vllm/keys';
import { builtIn } from './defined/compile';
import file from './ray.yaml';
import type { Dialect } from './dialect';

const CLUSTERS: readonly YamlPath[] = [['spec', 'rayClusterConfig'], ['spec', 'rayClusterSpec'], ['spec']];

/** The path of a cluster's workers with their GPUs. */
function workersAt(root: MapNode): YamlPath | null {
  for (const cluster of CLUSTERS) {
    const groups = itemsOf(nodeAt(root, ...cluster, 'workerGroupSpecs'));
    const i = groups.findIndex(group => gpusOf(group) !== null);
    if (i >= 0) return [...cluster, 'workerGroupSpecs', i];
  }
  return null;
}

const LIMIT: YamlPath = ['template', 'spec', 'containers', 0, 'resources', 'limits', 'nvidia.com/gpu'];
const gpusOf = (group: YamlNode): string | null => textAt(group, ...LIMIT);

/** True if GPUs are requested or language models served. */
const servesModels = (root: MapNode): boolean =>
  workersAt(root) !== null || nodeAt(root, 'spec', 'serveConfigV2') !== null || llmsIn(root, []).length > 0;

interface Llm {
  readonly node: YamlNode;
  readonly path: YamlPath;
  /** What tells it from others of the same model. */
  readonly half: string;
}

/** Arguments of Serve's builders that are one model's config: alone, or as a half of prefill and decode. */
const ALONE: readonly (readonly [key: string, half: string])[] = [
  ['llm_config', ''],
  ['prefill_config', ' prefill'],
  ['decode_config', ' decode'],
];

/** The language models of a Serve config's applications, or the one of a file that an application names. */
function llmsIn(config: YamlNode | null, path: YamlPath): Llm[] {
  if (config && nodeAt(config, 'model_loading_config')) return [{ node: config, path, half: '' }];
  return itemsOf(nodeAt(config, 'applications')).flatMap((application, i) => {
    const args = nodeAt(application, 'args');
    const at = [...path, 'applications', i, 'args'];
    const listed = itemsOf(nodeAt(args, 'llm_configs')).map((node, k) => ({
      node,
      path: [...at, 'llm_configs', k],
      half: '',
    }));
    const single = ALONE.flatMap(([key, half]) => {
      const node = nodeAt(args, key);
      return node ? [{ node, path: [...at, key], half }] : [];
    });
    return [...listed, ...single].filter(({ node }) => nodeAt(node, 'model_loading_config') !== null);
  });
}

/** One run for each served language model, else for what a job's entrypoint starts; if there is none, the workers' GPUs. */
async function rayRuns(opened: Layer, files: NearbyFiles): Promise<readonly Composition[]> {
  const root = rootOf(opened);
  const text = nodeAt(root, 'spec', 'serveConfigV2');
  const inner = text?.kind === 'scalar' ? embedded(text, opened.yaml) : null;
  const models = inner ? llmsIn(inner.root, ['spec', 'serveConfigV2']) : llmsIn(root, []);
  if (models.length > 0) return models.map(model => llmRun(model, opened));
  const devices = root && devicesOf(root, opened);
  const launched = { accelerator: CUDA, ...(devices && { devices }) };
  const entry = nodeAt(root, 'spec', 'entrypoint');
  if (entry?.kind === 'scalar') {
    const lines = commands(located(entry, opened.yaml.text), new Map());
    const name = textAt(root, 'metadata', 'name') ?? '';
    return runsOfJob({ name, image: '', commands: lines, environment: [], launched }, opened, files);
  }
  return [{ name: '', launched, layers: [{ ...opened, mount: null }] }];
}

/** Ray Serve LLM starts vLLM with `engine_kwargs`; replicas are copies on separate GPUs. */
function llmRun({ node, path, half }: Llm, opened: Layer): Composition {
  const loading = nodeAt(node, 'model_loading_config');
  const names = entriesOf(loading).filter(({ key }) => key === 'model_source' || key === 'model_id');
  const model = names.find(({ key }) => key === 'model_source') ?? names[0];
  const from = [...path, 'model_loading_config', model?.key ?? ''];
  const settings: readonly Setting[] = [
    ...(model ? [{ path: ['model'], keySpan: model.keySpan, value: model.value, from }] : []),
    ...flagsIn(nodeAt(node, 'engine_kwargs'), [...path, 'engine_kwargs']),
  ];
  const gpu = textAt(node, 'accelerator_type');
  return {
    name: `${textAt(loading, 'model_id') ?? ''}${half}`.trim(),
    dialect: 'vllm',
    layers: [layerOf(opened, mapOf(settings, node.span), null)],
    launched: {
      accelerator: CUDA,
      // ray/util/accelerators/accelerators.py: the name of the GPU that a replica is placed on.
      ...(gpu !== null && { gpu: statedAt(opened, [...path, 'accelerator_type'], gpu) }),
    },
  };
}

function devicesOf(root: MapNode, opened: Layer): Quantity<number> | null {
  const path = workersAt(root);
  const count = Number(path ? (textAt(root, ...path, ...LIMIT) ?? Number.NaN) : Number.NaN);
  return path && Number.isInteger(count) ? statedAt(opened, [...path, ...LIMIT], count) : null;
}

/** Ray Serve's configs and KubeRay's resources; ray-project/kuberay feeaf72. */
export const ray: Dialect = builtIn(file, {
  accepts: servesModels,
  compose: rayRuns,
});

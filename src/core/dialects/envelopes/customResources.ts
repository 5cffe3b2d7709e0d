import type { MapNode, YamlNode } from '../../yaml/node';
import { runsOfJob, variablesOf } from '../command/jobs';
import { CUDA, nodeAt, rootOf, statedAt, textAt } from '../command/nodes';
import { alone } from '../engine/compose';
import type { Composition, Layer, NearbyFiles } from '../engine/compose';
import { layerOf, mapOf } from '../engine/settings';
import { argsIn } from '../vllm/charts';
import { argumentsIn, environmentMap, environmentPairs } from './environment';

/** A resource that an operator turns into pods. */
interface CustomResource {
  readonly is: (root: MapNode) => boolean;
  readonly runs: (opened: Layer, files: NearbyFiles) => Promise<readonly Composition[]>;
}

const hasKind = (root: MapNode, group: RegExp, ...kinds: readonly string[]): boolean =>
  group.test(textAt(root, 'apiVersion') ?? '') && kinds.includes(textAt(root, 'kind') ?? '');

/** `hf://owner/name` as a hub id. */
const hubName = (address: string): string => address.replace(/^hf:\/\//, '').replace(/@.*/s, '');

/** KubeAI's Model: `resourceProfile: nvidia-gpu-h100:1` is a GPU and a count. */
const kubeAi: CustomResource = {
  is: root =>
    hasKind(root, /^kubeai\.org\//, 'Model') &&
    textAt(root, 'spec', 'engine') === 'VLLM' &&
    textAt(root, 'spec', 'resourceProfile')?.includes('gpu') === true,
  runs: opened => Promise.resolve([kubeAiRun(opened)]),
};

function kubeAiRun(opened: Layer): Composition {
  const root = rootOf(opened);
  const args = argsIn(nodeAt(root, 'spec', 'args'), opened);
  const model = addressed(root, ['spec', 'url']);
  const count = Number(/:(\d+)$/.exec(textAt(root, 'spec', 'resourceProfile') ?? '')?.[1] ?? 1);
  const devices = { ...statedAt(opened, ['spec', 'resourceProfile'], count) };
  return {
    name: '',
    dialect: 'vllm',
    layers: [layerOf(opened, mapOf([...model, ...args], root?.span ?? { start: 0, end: 0 }), null)],
    launched: { accelerator: CUDA, devices },
  };
}

function addressed(root: YamlNode | null, path: readonly string[]): Parameters<typeof mapOf>[0] {
  const at = nodeAt(root, ...path);
  if (at?.kind !== 'scalar' || at.opaque !== null) return [];
  const name = hubName(String(at.value));
  const value = { ...at, value: name, source: name, style: 'double' as const };
  return [{ path: ['model'], keySpan: at.span, value, from: path }];
}

/** KServe's LLMInferenceService runs vLLM; docs/samples/llmisvc. */
const llmInferenceService: CustomResource = {
  is: root => hasKind(root, /^serving\.kserve\.io\//, 'LLMInferenceService') && gpusOf(root) !== null,
  runs: opened => Promise.resolve([serviceRun(opened)]),
};

const CONTAINER = ['spec', 'template', 'containers', 0] as const;
const gpusOf = (root: MapNode): string | null =>
  textAt(root, ...CONTAINER, 'resources', 'limits', 'nvidia.com/gpu');

function serviceRun(opened: Layer): Composition {
  const root = rootOf(opened);
  const settings = [
    ...addressed(root, ['spec', 'model', 'uri']),
    ...argsIn(nodeAt(root, ...CONTAINER, 'args'), opened),
  ];
  const path = [...CONTAINER, 'resources', 'limits', 'nvidia.com/gpu'];
  const count = Number(textAt(root, ...path));
  return {
    name: textAt(root, 'metadata', 'name') ?? '',
    dialect: 'vllm',
    layers: [layerOf(opened, mapOf(settings, root?.span ?? { start: 0, end: 0 }), null)],
    launched: { accelerator: CUDA, devices: statedAt(opened, path, count) },
  };
}

/** KServe's InferenceService: its model section is the container. */
const inferenceService: CustomResource = {
  is: root =>
    hasKind(root, /^serving\.kserve\.io\//, 'InferenceService') &&
    textAt(root, 'spec', 'predictor', 'model', 'resources', 'limits', 'nvidia.com/gpu') !== null,
  runs: async (opened, files) => {
    const root = rootOf(opened);
    const path = ['spec', 'predictor', 'model'];
    const model = nodeAt(root, ...path);
    const { text } = opened.yaml;
    const environment = environmentPairs(nodeAt(model, 'env'), [...path, 'env'], text);
    const words = argumentsIn(nodeAt(model, 'args'), text, variablesOf(environment), 'kubernetes');
    const gpus = [...path, 'resources', 'limits', 'nvidia.com/gpu'];
    const devices = statedAt(opened, gpus, Number(textAt(root, ...gpus)));
    const commands = words.length > 0 ? [words] : [];
    const job = { name: '', image: '', commands, environment, launched: { accelerator: CUDA, devices } };
    return runsOfJob(job, opened, files);
  },
};

/** Kaito's Workspace: only the machine type tells the GPUs. */
const kaito: CustomResource = {
  is: root =>
    hasKind(root, /^kaito\.sh\//, 'Workspace') &&
    /^Standard_N[CD]/.test(textAt(root, 'resource', 'instanceType') ?? ''),
  runs: opened => Promise.resolve([{ ...alone(opened), launched: { accelerator: CUDA } }]),
};

/** Kubeflow's TrainJob: the command of every node, and their number. */
const trainJob: CustomResource = {
  is: root =>
    hasKind(root, /^trainer\.kubeflow\.org\//, 'TrainJob') &&
    nodeAt(root, 'spec', 'trainer', 'resourcesPerNode', 'limits', 'nvidia.com/gpu') !== null,
  runs: async (opened, files) => {
    const root = rootOf(opened);
    const path = ['spec', 'trainer'];
    const trainer = nodeAt(root, ...path);
    const { text } = opened.yaml;
    const environment = environmentMap(null, path, text);
    const lists = [nodeAt(trainer, 'command'), nodeAt(trainer, 'args')];
    const words = lists.flatMap(list => argumentsIn(list, text, new Map(), 'kubernetes'));
    const gpus = [...path, 'resourcesPerNode', 'limits', 'nvidia.com/gpu'];
    const devices = statedAt(opened, gpus, Number(textAt(root, ...gpus)));
    const count = Number(textAt(trainer, 'numNodes') ?? 1);
    const nodes = { ...statedAt(opened, [...path, 'numNodes'], count), unit: 'nodes' as const };
    const launched = { accelerator: CUDA, devices, nodes };
    return runsOfJob({ name: '', image: '', commands: [words], environment, launched }, opened, files);
  },
};

export const customRuns: readonly CustomResource[] = [
  kubeAi,
  llmInferenceService,
  inferenceService,
  kaito,
  trainJob,
];

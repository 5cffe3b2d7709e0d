import type { MapNode, YamlNode } from '../../yaml/node';
import { resolve } from '../../yaml/path';
import { runsOfJob } from '../command/jobs';
import { CUDA, nodeAt, rootOf, statedAt, textAt } from '../command/nodes';
import { alone } from '../engine/compose';
import type { Composition, Layer, NearbyFiles } from '../engine/compose';
import { layerOf, mapOf } from '../engine/settings';
import { releaseOfImage } from '../command/pins';
import { argumentRuns, hasServer } from '../serverArguments';
import { argsIn, flagsIn } from '../vllm/keys';
import { argumentsIn, environmentMap } from './environment';
import {
  addressed,
  isLlmService,
  isRuntime,
  isService,
  llmServiceRuns,
  runtimeRuns,
  serviceRuns,
} from './kserve';

/** A resource that an operator turns into pods. */
interface CustomResource {
  readonly is: (root: MapNode) => boolean;
  readonly runs: (opened: Layer, files: NearbyFiles) => Promise<readonly Composition[]>;
}

const hasKind = (root: MapNode, group: RegExp, ...kinds: readonly string[]): boolean =>
  group.test(textAt(root, 'apiVersion') ?? '') && kinds.includes(textAt(root, 'kind') ?? '');

const isKubeAi = (root: MapNode): boolean => hasKind(root, /^kubeai\.org\//, 'Model');

/** KubeAI's engines of language models on GPUs (kubeai-project/kubeai, api/k8s/v1/model_types.go). */
const KUBEAI: Readonly<Record<string, string>> = { VLLM: 'vllm', OLlama: 'ollama' };

/** KubeAI's Model: `resourceProfile: nvidia-gpu-h100:1` is a GPU and a count, `cpu:1` none. */
const kubeAi: CustomResource = {
  is: root =>
    isKubeAi(root) &&
    (textAt(root, 'spec', 'engine') ?? '') in KUBEAI &&
    textAt(root, 'spec', 'resourceProfile')?.includes('gpu') === true,
  runs: opened => Promise.resolve([kubeAiRun(opened)]),
};

function kubeAiRun(opened: Layer): Composition {
  const root = rootOf(opened);
  const args = argsIn(nodeAt(root, 'spec', 'args'), opened.yaml.text);
  const model = addressed(root, ['spec', 'url']);
  const path = ['spec', 'resourceProfile'];
  const profile = textAt(root, ...path) ?? '';
  const devices = { ...statedAt(opened, path, Number(/:(\d+)$/.exec(profile)?.[1] ?? 1)) };
  // charts/kubeai/values.yaml names profiles after GPUs: nvidia-gpu-a100-80gb.
  const product = /^nvidia-gpu-([^:]+)/.exec(profile)?.[1];
  const gpu = product === undefined ? null : statedAt(opened, path, product);
  return {
    name: textAt(root, 'metadata', 'name') ?? '',
    dialect: KUBEAI[textAt(root, 'spec', 'engine') ?? ''] ?? 'vllm',
    layers: [layerOf(opened, mapOf([...model, ...args], root?.span ?? { start: 0, end: 0 }), null)],
    launched: { accelerator: CUDA, devices, ...(gpu && { gpu }) },
  };
}

/** KServe's services: what they serve is vLLM's, where it is a language model. */
const inferenceService: CustomResource = { is: isService, runs: serviceRuns };
const llmInferenceService: CustomResource = { is: isLlmService, runs: llmServiceRuns };
const servingRuntime: CustomResource = { is: isRuntime, runs: runtimeRuns };

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

/** What vLLM's operator starts (vllm-project/production-stack, operator/api/v1alpha1/vllmruntime_types.go). */
const vllmRuntime: CustomResource = {
  is: root => hasKind(root, /^production-stack\.vllm\.ai\//, 'VLLMRuntime'),
  runs: opened => Promise.resolve([vllmRuntimeRun(opened)]),
};

/** Fields of the resource that are flags of the engine under their own names. */
const RUNTIME_FLAGS =
  /^(?:maxModelLen|dtype|maxNumSeqs|tensorParallelSize|pipelineParallelSize|gpuMemoryUtilization|maxLoras|enableChunkedPrefill|enablePrefixCaching)$/;

function vllmRuntimeRun(opened: Layer): Composition {
  const root = rootOf(opened);
  const flags = ['model', 'vllmConfig'].flatMap(name =>
    flagsIn(nodeAt(root, 'spec', name), ['spec', name]).filter(({ from }) =>
      RUNTIME_FLAGS.test(String(from.at(-1))),
    ),
  );
  const args = argsIn(nodeAt(root, 'spec', 'vllmConfig', 'extraArgs'), opened.yaml.text);
  const adapts = nodeAt(root, 'spec', 'model', 'enableLoRA');
  const lora = { path: ['enable-lora'], from: ['spec', 'model', 'enableLoRA'] };
  const settings = [
    ...addressed(root, ['spec', 'model', 'modelURL']),
    ...(adapts ? [{ ...lora, keySpan: adapts.span, value: adapts }] : []),
    ...flags,
    ...args,
  ];
  const gpus = ['spec', 'deploymentConfig', 'resources', 'gpu'];
  const count = Number(textAt(root, ...gpus) ?? Number.NaN);
  const release = releaseOfImage(textAt(root, 'spec', 'deploymentConfig', 'image', 'name') ?? '');
  return {
    name: textAt(root, 'metadata', 'name') ?? '',
    dialect: 'vllm',
    layers: [layerOf(opened, mapOf(settings, root?.span ?? { start: 0, end: 0 }), null)],
    launched: {
      accelerator: CUDA,
      ...(Number.isInteger(count) && { devices: statedAt(opened, gpus, count) }),
      ...(release && { releases: [release] }),
    },
  };
}

/** True for a resource with pods of its own, which say what they start. */
function hasContainers(node: YamlNode | null | undefined, depth = 0): boolean {
  const at = node ? resolve(node) : null;
  if (depth > DEEPEST || at === null) return false;
  if (at.kind === 'sequence') return at.items.some(item => hasContainers(item, depth + 1));
  return (
    at.kind === 'map' &&
    at.entries.some(({ key, value }) => key === 'containers' || hasContainers(value, depth + 1))
  );
}

const DEEPEST = 8;

/** A resource of an unknown operator, with a list of a server's arguments. */
const serverResource: CustomResource = {
  is: root => {
    const isCustom = /^[\w-]+(?:\.[\w-]+)+\//.test(textAt(root, 'apiVersion') ?? '');
    const spec = nodeAt(root, 'spec');
    return isCustom && !isKubeAi(root) && !hasContainers(spec) && hasServer(spec);
  },
  runs: argumentRuns,
};

export const customRuns: readonly CustomResource[] = [
  vllmRuntime,
  kubeAi,
  llmInferenceService,
  servingRuntime,
  inferenceService,
  kaito,
  trainJob,
  serverResource,
];

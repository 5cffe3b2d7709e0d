import type { Quantity } from '../../spec/quantity';
import type { Launched } from '../../spec/runSpec';
import type { MapNode, YamlNode } from '../../yaml/node';
import type { YamlPath } from '../../yaml/path';
import { flagsOf } from '../command/flags';
import { runsOfJob, variablesOf } from '../command/jobs';
import { CUDA, itemsOf, nodeAt, rootOf, statedAt, textAt } from '../command/nodes';
import { releaseOfImage } from '../command/pins';
import { flagNamesOf, serversIn } from '../command/servers';
import type { KnownServer } from '../command/servers';
import { commands } from '../command/shell';
import type { Command } from '../command/word';
import { located } from '../command/located';
import { layerOf, mapOf } from '../engine/settings';
import type { Composition, Layer, NearbyFiles, Setting } from '../engine/compose';
import { argumentsIn, environmentPairs } from './environment';
import { productOf } from './gpuProduct';
import { dirname, join } from '../../text/paths';

/*
 * KServe's resources of language models: kserve/kserve, docs/samples/v1beta1 and llmisvc, python/huggingfaceserver. A
 * runtime's container and a service's model are one container, whose arguments are the runtime's and then the service's
 * (pkg/controller/v1beta1/inferenceservice/utils, MergeRuntimeContainers).
 */

const isKServe = (root: MapNode): boolean =>
  textAt(root, 'apiVersion')?.startsWith('serving.kserve.io/') === true;

const LIMIT = ['resources', 'limits', 'nvidia.com/gpu'] as const;
const MODEL = ['spec', 'predictor', 'model'] as const;
const CONTAINER = ['spec', 'template', 'containers', 0] as const;

/** A runtime, and the file that has it. */
interface Runtime {
  readonly root: MapNode;
  readonly owner: Layer;
}

/** Files beside a service in which its runtime is looked for. */
const MOST_FILES = 24;

/** The runtime that a service names: in its own file, or in one beside it. */
async function runtimeOf(root: MapNode, opened: Layer, files: NearbyFiles): Promise<Runtime | null> {
  const name = textAt(root, ...MODEL, 'runtime');
  if (name === null) return null;
  const own = runtimeIn(opened, name);
  if (own) return own;
  const folder = dirname(opened.path);
  const others = (await files.list(folder)).filter(file => /\.ya?ml$/.test(file)).slice(0, MOST_FILES);
  for (const file of others) {
    const path = join(folder, file);
    const yaml = path === opened.path ? null : await files.read(path);
    const found = yaml && runtimeIn({ path, yaml, document: 0, mount: null }, name);
    if (found) return found;
  }
  return null;
}

function runtimeIn(owner: Layer, name: string): Runtime | null {
  const document = owner.yaml.documents.findIndex(
    ({ root }) => isRuntimeKind(root) && textAt(root, 'metadata', 'name') === name,
  );
  const root = owner.yaml.documents[document]?.root;
  return root?.kind === 'map' ? { root, owner: { ...owner, document } } : null;
}

/** `hf://owner/name` as a hub id, `ollama://name` as a name of its library, and other places as they are. */
export function addressed(root: YamlNode | null, path: readonly string[]): readonly Setting[] {
  const at = nodeAt(root, ...path);
  if (at?.kind !== 'scalar' || at.opaque !== null) return [];
  const name = String(at.value)
    .replace(/^(?:hf|ollama):\/\//, '')
    .replace(/@.*/s, '');
  const value = { ...at, value: name, source: name, style: 'double' as const };
  return [{ path: ['model'], keySpan: at.span, value, from: path }];
}

/** The container of a runtime that serves language models. */
const containerOf = (runtime: MapNode | null): YamlNode | null =>
  itemsOf(nodeAt(runtime, 'spec', 'containers'))[0] ?? null;

/** What a runtime's container starts with. */
function wordsOfRuntime({ root, owner: { yaml } }: Runtime): Command {
  const container = containerOf(root);
  const variables = variablesOf(environmentPairs(nodeAt(container, 'env'), [...RUNTIME, 'env'], yaml.text));
  return argumentsIn(nodeAt(container, 'args'), yaml.text, variables, 'kubernetes');
}

const RUNTIME = ['spec', 'containers', 0] as const;

const gpusOf = (root: MapNode, opened: Layer, container: YamlNode | null): Quantity<number> | null => {
  const path: YamlPath = [...MODEL, ...LIMIT];
  const own = textAt(root, ...path);
  if (own !== null) return statedAt(opened, path, Number(own));
  const inherited = textAt(container, ...LIMIT);
  return inherited === null
    ? null
    : { value: Number(inherited), unit: 'GPUs', origin: { kind: 'code', source: 'its serving runtime' } };
};

const imageOf = (model: YamlNode | null, container: YamlNode | null): string =>
  textAt(model, 'image') ?? textAt(container, 'image') ?? '';

function launchedBy(root: MapNode, opened: Layer, container: YamlNode | null): Launched {
  const devices = gpusOf(root, opened, container);
  const gpu = productOf(['spec', 'predictor'], opened);
  return { accelerator: CUDA, ...(devices && { devices }), ...(gpu && { gpu }) };
}

/** True for a service with a model that a runtime serves on GPUs. */
export const isService = (root: MapNode): boolean =>
  isKServe(root) &&
  textAt(root, 'kind') === 'InferenceService' &&
  nodeAt(root, ...MODEL) !== null &&
  (textAt(root, ...MODEL, ...LIMIT) !== null || textAt(root, ...MODEL, 'runtime') !== null);

/** The service's model as one of vLLM's servers; a job of another program where nothing says so. */
export async function serviceRuns(opened: Layer, files: NearbyFiles): Promise<readonly Composition[]> {
  const root = rootOf(opened);
  if (!root) return [];
  const model = nodeAt(root, ...MODEL);
  const runtime = await runtimeOf(root, opened, files);
  const container = containerOf(runtime?.root ?? null);
  const { text } = opened.yaml;
  const launched = launchedBy(root, opened, container);
  const image = imageOf(model, container);
  const environment = environmentPairs(nodeAt(model, 'env'), [...MODEL, 'env'], text);
  const variables = variablesOf(environment);
  const inherited = runtime ? wordsOfRuntime(runtime) : [];
  const beside = runtime?.owner.path === opened.path ? null : runtime;
  const own = argumentsIn(nodeAt(model, 'args'), text, variables, 'kubernetes');
  const words = beside ? own : [...inherited, ...own];
  const server = engineOf(root, image, [...inherited, ...own], files);
  if (!server) {
    const job = { name: '', image, commands: words.length > 0 ? [words] : [], environment, launched };
    return launched.devices ? runsOfJob(job, opened, files) : [];
  }
  const release = releaseOfImage(image) ?? releaseOfRuntime(root);
  return [
    {
      name: textAt(root, 'metadata', 'name') ?? '',
      dialect: server.dialect,
      layers: [layerOf(opened, mapOf(settingsOf(root, server, words), root.span), null)],
      ...(beside && { beneath: [beneathOf(beside, server, inherited)] }),
      launched: { ...launched, ...(release && { releases: [release] }) },
    },
  ];
}

/** The arguments of a runtime in another file, which those of a service follow. */
function beneathOf({ root, owner }: Runtime, server: KnownServer, words: Command): Layer {
  const settings = settingsOf(root, server, words).filter(({ value }) => !isMounted(value));
  return layerOf(owner, mapOf(settings, root.span), null);
}

/** What only a chat with an engine takes; other models of the same runtime classify or fill masks. */
const OF_ENGINE =
  /^--(?:max[-_]model[-_]len|gpu[-_]memory[-_]utilization|tensor[-_]parallel[-_]size|enforce[-_]eager)/;

/** The engine of a service: its runtime's, or vLLM where the model's format or an argument says so. */
function engineOf(root: MapNode, image: string, words: Command, files: NearbyFiles): KnownServer | null {
  const servers = serversIn(files);
  const ofImage = servers.find(({ image: known, not }) => known.test(image) && not?.test(image) !== true);
  if (ofImage) return ofImage;
  const format = textAt(root, ...MODEL, 'modelFormat', 'name') ?? '';
  const isOther = words.some(({ text }) => /^--backend=(?!vllm|auto)/.test(text));
  const isEngine =
    /^vllm$/i.test(format) ||
    (/^huggingface$/i.test(format) && !isOther) ||
    words.some(({ text }) => OF_ENGINE.test(text));
  return isEngine ? (servers.find(({ dialect }) => dialect === 'vllm') ?? null) : null;
}

const isRuntimeKind = (root: YamlNode | null): boolean =>
  /^(?:Cluster)?ServingRuntime$/.test(textAt(root, 'kind') ?? '');

/** True for a runtime with an engine's arguments, which asks for no GPUs itself: its services do. */
export const isRuntime = (root: MapNode): boolean =>
  isKServe(root) &&
  isRuntimeKind(root) &&
  textAt(containerOf(root), ...LIMIT) === null &&
  itemsOf(nodeAt(containerOf(root), 'args')).some(item => OF_ENGINE.test(textAt(item) ?? ''));

/** What a runtime says of each of its services; nothing where a service in the same file says it. */
export function runtimeRuns(opened: Layer, files: NearbyFiles): Promise<readonly Composition[]> {
  const root = rootOf(opened);
  const name = textAt(root, 'metadata', 'name');
  const isServed = opened.yaml.documents.some(
    ({ root: other }) => name !== null && textAt(other, ...MODEL, 'runtime') === name,
  );
  const words = root ? wordsOfRuntime({ root, owner: opened }) : [];
  const image = textAt(containerOf(root), 'image') ?? '';
  const server = root && !isServed ? engineOf(root, image, words, files) : null;
  if (!root || !server) return Promise.resolve([]);
  const release = releaseOfImage(image);
  const layer = layerOf(opened, mapOf(settingsOf(root, server, words), root.span), null);
  const launched = { accelerator: CUDA, ...(release && { releases: [release] }) };
  return Promise.resolve([{ name: name ?? '', dialect: server.dialect, layers: [layer], launched }]);
}

/** The release of vLLM that a runtime's name has: `vllm-runtime-v0.9.1`. */
const releaseOfRuntime = (root: MapNode): ReturnType<typeof releaseOfImage> =>
  releaseOfImage(
    (textAt(root, ...MODEL, 'runtime') ?? '').replace(/^(vllm)[\w-]*-v?(?=\d+\.\d+\.\d+$)/, '$1:v'),
  );

/** Where KServe puts what `storageUri` names. */
const isMounted = (value: YamlNode): boolean =>
  value.kind === 'scalar' && /^\/mnt\/models\/?$/.test(String(value.value));

function settingsOf(root: MapNode, server: KnownServer, words: Command): readonly Setting[] {
  const names = flagNamesOf(server);
  // python/huggingfaceserver: `--model_id` and `--model_dir`; `--model_name` is what requests call it.
  const aliases = { ...names.aliases, 'model-id': 'model', 'model-dir': 'model' };
  const flags = flagsOf(words, { ...names, aliases });
  const given = flags.settings.find(({ path }) => path[0] === 'model');
  const stored = !given || isMounted(given.value) ? addressed(root, [...MODEL, 'storageUri']) : [];
  return [...flags.settings.filter(({ path }) => path[0] !== 'model' || stored.length === 0), ...stored];
}

/** True for a language model's own resource, which runs vLLM on GPUs (docs/samples/llmisvc). */
export const isLlmService = (root: MapNode): boolean =>
  isKServe(root) &&
  textAt(root, 'kind') === 'LLMInferenceService' &&
  textAt(root, ...CONTAINER, ...LIMIT) !== null;

export function llmServiceRuns(opened: Layer, files: NearbyFiles): Promise<readonly Composition[]> {
  const root = rootOf(opened);
  const server = serversIn(files).find(({ dialect }) => dialect === 'vllm');
  if (!root || !server) return Promise.resolve([]);
  const { text } = opened.yaml;
  const environment = environmentPairs(nodeAt(root, ...CONTAINER, 'env'), [...CONTAINER, 'env'], text);
  const more = environment.find(({ name }) => name === 'VLLM_ADDITIONAL_ARGS')?.node;
  const words = [
    ...(more ? commands(located(more, text), new Map()).flat() : []),
    ...argumentsIn(nodeAt(root, ...CONTAINER, 'args'), text, variablesOf(environment), 'kubernetes'),
  ];
  const settings = [
    ...addressed(root, ['spec', 'model', 'uri']),
    ...ranksIn(root),
    ...flagsOf(words, flagNamesOf(server)).settings,
  ];
  const gpus: YamlPath = [...CONTAINER, ...LIMIT];
  const gpu = productOf(['spec', 'template'], opened);
  const release = releaseOfImage(textAt(root, ...CONTAINER, 'image') ?? '');
  return Promise.resolve([
    {
      name: textAt(root, 'metadata', 'name') ?? '',
      dialect: server.dialect,
      layers: [layerOf(opened, mapOf(settings, root.span), null)],
      launched: {
        accelerator: CUDA,
        devices: statedAt(opened, gpus, Number(textAt(root, ...gpus))),
        ...(gpu && { gpu }),
        ...(release && { releases: [release] }),
      },
    },
  ]);
}

/** `spec.parallelism`, which the controller turns into flags. */
function ranksIn(root: MapNode): readonly Setting[] {
  return ['tensor', 'pipeline', 'data'].flatMap(kind => {
    const value = nodeAt(root, 'spec', 'parallelism', kind);
    const from = ['spec', 'parallelism', kind];
    return value ? [{ path: [`${kind}-parallel-size`], keySpan: value.span, value, from }] : [];
  });
}

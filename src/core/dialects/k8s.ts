import type { Quantity } from '../spec/quantity';
import type { Launched } from '../spec/runSpec';
import type { MapNode, YamlNode } from '../yaml/node';
import { parsePath, resolve } from '../yaml/path';
import type { YamlPath } from '../yaml/path';
import { runsOfJob, variablesOf } from './command/jobs';
import type { EnvironmentEntry, Job } from './command/job';
import { embedded, located, withReferences } from './command/located';
import { CUDA, nodeAt, derivedFrom, entriesOf, itemsOf, rootOf, statedAt, textAt } from './command/nodes';
import { commands, scriptOf } from './command/shell';
import type { Command, Word } from './command/word';
import type { Variables } from './command/shellValues';
import { layerOfDocument } from './engine/settings';
import type { Composition, Layer, NearbyFiles } from './engine/compose';
import { givenBy, mountedBy, mountedConfig, referredBy } from './envelopes/configMaps';
import type { MountedFile } from './envelopes/configMaps';
import { patchedBy } from './envelopes/kustomize';
import { runsOfScript, startedIn } from './envelopes/script';
import { releaseOfImage } from './command/pins';
import { seenFrom } from './command/tree';
import { hasServer } from './serverArguments';
import { environmentPairs, argumentsIn } from './envelopes/environment';
import { askedPart, gpuShareOf } from './envelopes/gpuShare';
import { customRuns } from './envelopes/customResources';
import { productOf } from './envelopes/gpuProduct';
import { builtIn } from './defined/compile';
import file from './k8s.yaml';
import type { Dialect } from './dialect';

/** Paths of pod specs by kind of resource. */
const POD_SPECS = [
  'spec',
  'spec.template.spec',
  'spec.jobTemplate.spec.template.spec',
  'spec.template',
  'spec.predictor',
  'spec.leaderWorkerTemplate.workerTemplate.spec',
  'spec.leaderWorkerTemplate.leaderTemplate.spec',
  'spec.pytorchReplicaSpecs.Master.template.spec',
  'spec.pytorchReplicaSpecs.Worker.template.spec',
  'spec.tfReplicaSpecs.Worker.template.spec',
  'spec.mpiReplicaSpecs.Worker.template.spec',
  'spec.replicatedJobs[].template.spec.template.spec',
  'spec.template.spec.replicatedJobs[].template.spec.template.spec',
  'spec.tasks[].template.spec',
  'spec.template.spec.roles[].template.spec',
  'spec.template.spec.headGroupSpec.template.spec',
].map(parsePath_);

function parsePath_(text: string): YamlPath {
  return parsePath(text.replaceAll('[]', '.[]').replaceAll('.[]', '.*'));
}

interface Container {
  readonly node: YamlNode;
  readonly path: YamlPath;
}

const containersIn = (root: MapNode): Container[] =>
  POD_SPECS.flatMap(path => placesAt(root, path)).flatMap(({ node, path }) =>
    itemsOf(nodeAt(node, 'containers')).map((container, i) => ({
      node: container,
      path: [...path, 'containers', i],
    })),
  );

/** Every container that requests GPUs or a part of one. */
const gpuContainers = (root: MapNode): Container[] =>
  containersIn(root).filter(
    ({ node, path }) => gpusOf(node) !== null || askedPart(node, path, root) !== null,
  );

/** The nodes at a path; `*` is every item of a list. */
function placesAt(node: YamlNode, path: YamlPath): Container[] {
  const star = path.indexOf('*');
  if (star < 0) {
    const found = nodeAt(node, ...path);
    return found ? [{ node: found, path }] : [];
  }
  const head = path.slice(0, star);
  return itemsOf(nodeAt(node, ...head)).flatMap((item, i) =>
    placesAt(item, path.slice(star + 1)).map(found => ({
      node: found.node,
      path: [...head, i, ...found.path],
    })),
  );
}

interface Gpus {
  readonly key: YamlPath;
  readonly count: number;
}

/** The device plugin's resource, whole or a slice. */
const GPU_KEY = /^nvidia\.com\/(?:gpu(?:\.shared)?|mig-.+)$/;

/** Limits decide; the scheduler ignores requests alone. */
function gpusOf(container: YamlNode): Gpus | null {
  for (const part of ['limits', 'requests']) {
    for (const { key } of entriesOf(nodeAt(container, 'resources', part))) {
      const count = Number(textAt(container, 'resources', part, key) ?? 0);
      if (GPU_KEY.test(key) && Number.isInteger(count) && count > 0) {
        return { key: ['resources', part, key], count };
      }
    }
  }
  return null;
}

/** True for a manifest with a program on supported GPUs, or a patch of one. */
function asksForGpus(root: MapNode): boolean {
  return (
    gpuContainers(root).length > 0 ||
    customRuns.some(({ is }) => is(root)) ||
    configsIn(root).length > 0 ||
    (hasServer(root) && containersIn(root).some(isPatch))
  );
}

/** A container without an image of its own changes that of another file. */
const isPatch = ({ node }: Container): boolean => nodeAt(node, 'image') === null;

/** One run for each program that a container with GPUs starts, and for each config in a config map. */
async function manifestRuns(opened: Layer, files: NearbyFiles): Promise<readonly Composition[]> {
  const root = rootOf(opened);
  if (!root) return [];
  const custom = customRuns.find(({ is }) => is(root));
  if (custom) return custom.runs(opened, files);
  const base = containersIn(root).length > 0 ? await patchedBy(opened, files) : null;
  const containers = base ? containersIn(root) : gpuContainers(root);
  const all: Composition[] = [];
  let seen: ReadonlyMap<string, MountedFile> = new Map();
  files.keepWritten?.(name => mountedConfig(seen.get(name)));
  for (const container of containers) {
    const places = placesOf(container, opened, base);
    const { owner } = places;
    const pod = nodeAt(rootOf(owner.layer), ...owner.path.slice(0, -2));
    seen = await mountedBy(owner.node, pod, owner.layer, files);
    const job = await jobOf(places, files);
    const runs = await runsOfJob(job, owner.layer, files);
    const isKnown = runs.some(({ dialect }) => dialect !== undefined);
    const started = isKnown ? [] : await mountedScript(job, seen, files);
    const found = started.length > 0 ? started : runs;
    all.push(...found.map(run => seenFrom(opened, run, container.node.span.start)));
  }
  const configs = await mappedConfigs(root, opened, files);
  return all.length + configs.length > 0
    ? [...all, ...configs]
    : containers.length > 0
      ? [{ name: '', layers: [{ ...opened, mount: null }] }]
      : [];
}

/** A container in its file. */
interface Placed extends Container {
  readonly layer: Layer;
}

/** A container with the one that it patches; the owner is the one whose command is started. */
interface Places {
  readonly parts: readonly Placed[];
  readonly owner: Placed;
}

function placesOf(container: Container, opened: Layer, base: Layer | null): Places {
  const own = { ...container, layer: opened };
  const root = base && rootOf(base);
  const name = textAt(container.node, 'name');
  const patched = root && containersIn(root).find(({ node }) => textAt(node, 'name') === name);
  if (!base || !patched) return { parts: [own], owner: own };
  const beneath = { ...patched, layer: base };
  const isStarted = ['command', 'args'].some(key => nodeAt(container.node, key) !== null);
  return { parts: [beneath, own], owner: isStarted ? own : beneath };
}

/** What the last part that states it says. */
const statedIn = (parts: readonly Placed[], key: string): Placed | undefined =>
  parts.findLast(({ node }) => nodeAt(node, key) !== null);

async function jobOf({ parts, owner }: Places, files: NearbyFiles): Promise<Job> {
  const stated: EnvironmentEntry[] = [];
  for (const { node, path, layer } of parts) {
    const given = await givenBy(nodeAt(node, 'envFrom'), layer, files);
    const own = environmentPairs(nodeAt(node, 'env'), [...path, 'env'], layer.yaml.text);
    const isOther = layer.path !== owner.layer.path;
    const referred = await referredBy(nodeAt(node, 'env'), layer, files);
    stated.push(
      ...[...given, ...own, ...referred].map(entry => (isOther ? { owner: layer, ...entry } : entry)),
    );
  }
  const environment = [...new Map(stated.map(entry => [entry.name, entry])).values()];
  const variables = variablesOf(environment);
  const started = statedIn(parts, 'command');
  const replaced = started && started !== owner ? unplaced(started, owner, variables) : [];
  const [first = [], ...others] = containerCommands(owner.node, owner.layer.yaml.text, variables);
  const launched = parts.map(part => launchedBy(part, rootOf(part.layer), part.layer));
  return {
    name: textAt(owner.node, 'name') ?? '',
    image: textAt(statedIn(parts, 'image')?.node, 'image') ?? '',
    commands: replaced.length + first.length > 0 ? [[...replaced, ...first], ...others] : [],
    ...(started && { isReplaced: true }),
    environment,
    launched: Object.assign({}, ...launched) as Launched,
  };
}

/** The words of a container's program, which another file states: they have no place in this one. */
function unplaced({ node, layer }: Placed, owner: Placed, variables: Variables): Command {
  const { start } = owner.node.span;
  const words = argumentsIn(nodeAt(node, 'command'), layer.yaml.text, variables, 'kubernetes');
  return words.map(word => ({ ...word, span: { start, end: start }, isFixed: true }));
}

/** The runs of a script that a container mounts and starts. */
async function mountedScript(
  { commands: started, image, name, environment, launched: asked }: Job,
  seen: ReadonlyMap<string, MountedFile>,
  files: NearbyFiles,
): Promise<readonly Composition[]> {
  const inner = started.map(startedIn).find(one => one !== null);
  const file = inner && seen.get(inner.name);
  if (!file) return [];
  const release = releaseOfImage(image);
  const launched = { ...asked, ...(release && { releases: [release] }) };
  const known = variablesOf(environment);
  if (!file.text) return runsOfScript(file.layer, files, { name, launched, known, given: inner.given });
  const { always, perhaps } = scriptOf(file.text, known, 'shell', inner.given);
  return runsOfJob({ name, image, commands: always, perhaps, environment, launched }, file.layer, files);
}

/** `command` and `args` are one command; a shell's `-c` passes its script on. */
function containerCommands(container: YamlNode, text: string, variables: Variables): readonly Command[] {
  const lists = [nodeAt(container, 'command'), nodeAt(container, 'args')];
  const words = lists.flatMap(list => argumentsIn(list, text, variables, 'kubernetes'));
  const script = scriptIn(lists.flatMap(itemsOf), words);
  if (script?.kind === 'scalar') {
    // Kubernetes fills in `$(NAME)` before the shell starts.
    const written = located(script, text);
    const filled = withReferences(written, REFERENCE, name => variables.get(name));
    const all = commands(filled, variables);
    return filled === written ? all : all.map(words => words.map(asFilled));
  }
  return words.length > 0 ? [words] : [];
}

/** A word with a reference has no place of its own. */
const asFilled = (word: Word): Word =>
  word.text.length === word.span.end - word.span.start ? word : { ...word, isFixed: true };

const REFERENCE = /(?<!\$)\$\(([A-Za-z_]\w{0,200})\)/g;

/** The script of a shell: after its `-c`, or all of it if an item contains blanks. */
function scriptIn(items: readonly YamlNode[], words: Command): YamlNode | null {
  const flag = words.findIndex(({ text }) => /^-\w*c$/.test(text));
  const isShell = words[Math.max(0, flag - 1)]?.text.endsWith('sh') === true;
  const [only] = items;
  const script = flag >= 0 && isShell ? items[flag + 1] : undefined;
  if (script) return resolve(script);
  return only && items.length === 1 && /\s/.test(words[0]?.text.trim() ?? '') ? resolve(only) : null;
}

function launchedBy({ node, path }: Container, root: MapNode | null, opened: Layer): Launched {
  const gpus = gpusOf(node);
  const nodes = root && nodesOf(root, opened);
  const gpu = productOf(path.slice(0, -2), opened);
  const gpuShare = gpuShareOf(node, path, opened);
  return {
    accelerator: CUDA,
    // Without a number, a part is one of one GPU.
    ...(gpuShare && !gpus && { devices: derivedFrom(path, 1, 'a part of one GPU') }),
    ...(gpuShare && { gpuShare }),
    ...(gpus && root && { devices: devicesOf({ node, path }, gpus, root, opened) }),
    ...(nodes && { nodes }),
    ...(gpu && { gpu }),
  };
}

/** The GPUs of a container; those of a whole cluster for the container at its head. */
function devicesOf({ path }: Container, gpus: Gpus, root: MapNode, opened: Layer): Quantity<number> {
  const head = path.indexOf('headGroupSpec');
  const own = statedAt(opened, [...path, ...gpus.key], gpus.count);
  if (head < 0) return own;
  const groups = itemsOf(nodeAt(root, ...path.slice(0, head), 'workerGroupSpecs'));
  const workers = groups.map(group => {
    const container = itemsOf(nodeAt(group, 'template', 'spec', 'containers'))[0];
    const replicas = Number(textAt(group, 'replicas') ?? 1);
    return replicas * ((container && gpusOf(container)?.count) ?? 0);
  });
  const all = workers.reduce((sum, count) => sum + count, gpus.count);
  return all === gpus.count ? own : derivedFrom([...path, ...gpus.key], all, 'head and workers');
}

/** Number of pods that work on a job together; the replicas of a server are copies, not nodes. */
function nodesOf(root: MapNode, opened: Layer): Quantity<number> | null {
  const master = Number(textAt(root, 'spec', 'pytorchReplicaSpecs', 'Master', 'replicas') ?? 0);
  const path = ['spec', 'pytorchReplicaSpecs', 'Worker', 'replicas'];
  const workers = Number(textAt(root, ...path) ?? 0);
  if (master + workers > 0) return derivedFrom(path, master + workers, 'master and workers');
  for (const key of [
    ['spec', 'trainer', 'numNodes'],
    ['spec', 'mlPolicy', 'numNodes'],
    ['spec', 'leaderWorkerTemplate', 'size'],
  ]) {
    const count = Number(textAt(root, ...key) ?? Number.NaN);
    if (Number.isInteger(count) && count > 0) return { ...statedAt(opened, key, count), unit: 'nodes' };
  }
  return null;
}

/** Texts of a config map that are YAML files. */
function configsIn(root: MapNode): readonly string[] {
  if (textAt(root, 'kind') !== 'ConfigMap') return [];
  return entriesOf(nodeAt(root, 'data'))
    .filter(({ key, value }) => /\.(?:ya?ml|py)$/.test(key) && looksLikeOurs(value))
    .map(({ key }) => key);
}

/** Words that almost only occur in configs of GPU runs; a text with one of them is parsed. */
const RUN_WORDS =
  /^[ \t]*(?:base_model|micro_batch_size|per_device_train_batch_size|gpu[-_]memory[-_]utilization|max[-_]model[-_]len|mem[-_]fraction[-_]static|gradient_accumulation_steps|model_name_or_path|zero_optimization)\s*:|^(?:from|import)[ \t]+(?:vllm|sglang|lmdeploy|tensorrt_llm|llama_cpp|ray\.serve\.llm|transformers|trl)\b/m;

function looksLikeOurs(value: YamlNode): boolean {
  const at = resolve(value);
  return at?.kind === 'scalar' && RUN_WORDS.test(String(at.value ?? ''));
}

/** The configs in a config map, each in its own dialect, with positions in the manifest. */
async function mappedConfigs(root: MapNode, opened: Layer, files: NearbyFiles): Promise<Composition[]> {
  const all: Composition[] = [];
  for (const key of configsIn(root)) {
    const at = nodeAt(root, 'data', key);
    if (at?.kind !== 'scalar') continue;
    if (key.endsWith('.py')) {
      const text = located(at, opened.yaml.text);
      const runs = await files.programWithin?.(text, opened, at.style !== 'literal');
      all.push(...(runs ?? []).map(run => ({ ...run, name: [key, run.name].filter(Boolean).join(' ') })));
      continue;
    }
    const document = embedded(at, opened.yaml);
    const dialect = document ? (files.dialectOf?.(document) ?? null) : null;
    if (!document || dialect === null) continue;
    all.push({ name: key, dialect, layers: [layerOfDocument(opened, document, null)] });
  }
  return all;
}

/** Kubernetes manifests that request GPUs, and the custom resources of Kubeflow, KServe, Kaito and KubeAI. */
export const k8s: Dialect = builtIn(file, {
  accepts: asksForGpus,
  compose: manifestRuns,
});

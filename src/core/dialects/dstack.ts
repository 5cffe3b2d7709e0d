import type { Quantity } from '../spec/quantity';
import type { MapNode, YamlNode } from '../yaml/node';
import { resolve } from '../yaml/path';
import { runsOfJob, variablesOf } from './command/jobs';
import { located } from './command/located';
import { CUDA, nodeAt, itemsOf, rootOf, statedAt, textAt, unknown } from './command/nodes';
import { commands } from './command/shell';
import type { Composition, Layer, NearbyFiles } from './engine/compose';
import { environmentList, environmentMap } from './envelopes/environment';
import { builtIn } from './defined/compile';
import file from './dstack.yaml';
import type { Dialect } from './dialect';

const GPU = ['resources', 'gpu'] as const;
/** `2`, `1..4`, `2..` */
const COUNT = /^\d*(?:\.\.\d*)?$/;

const asksForGpu = (root: MapNode): boolean =>
  nodeAt(root, ...GPU) !== null && !/MI\d|v\dlitepod|tpu/i.test(textAt(root, ...GPU) ?? '');

/** One run for each program that the commands start. */
async function dstackRuns(opened: Layer, files: NearbyFiles): Promise<readonly Composition[]> {
  const root = rootOf(opened);
  const { text } = opened.yaml;
  const listed = nodeAt(root, 'env');
  const read = listed?.kind === 'sequence' ? environmentList : environmentMap;
  const environment = read(listed, ['env'], text);
  const devices = devicesOf(opened);
  const nodes = nodesOf(opened);
  const variables = new Map(variablesOf(environment));
  if (devices.value !== null) {
    variables.set('DSTACK_GPUS_PER_NODE', String(devices.value));
    variables.set('DSTACK_GPUS_NUM', String(devices.value * (nodes.value ?? 1)));
  }
  const run = itemsOf(nodeAt(root, 'commands')).flatMap(item => {
    const at = resolve(item);
    return at?.kind === 'scalar' ? commands(located(at, text), variables) : [];
  });
  const gpu = gpuOf(opened);
  const launched = { accelerator: CUDA, devices, nodes, ...(gpu && { gpu }) };
  const image = textAt(root, 'image') ?? '';
  return runsOfJob({ name: '', image, commands: run, environment, launched }, opened, files);
}

/** `A100:80GB:4`, `24GB`, `2`, `{count: 2}`: a part without a unit is the count; a range has no number. */
function devicesOf(opened: Layer): Quantity<number> {
  const gpu = nodeAt(rootOf(opened), ...GPU);
  const path = gpu?.kind === 'map' ? [...GPU, 'count'] : [...GPU];
  const count = gpu?.kind === 'map' ? (textAt(gpu, 'count') ?? '1') : countIn(gpu);
  return /^\d+$/.test(count)
    ? statedAt(opened, path, Number(count))
    : unknown(`resources.gpu may be several numbers of GPUs: ${count}.`);
}

/** `A100:80GB:4` is a name and its memory; `24GB` and `24GB..` alone ask for a GPU of at least this size. */
function gpuOf(opened: Layer): Quantity<string> | null {
  const gpu = nodeAt(rootOf(opened), ...GPU);
  if (gpu?.kind === 'map') {
    const [name, memory] = [textAt(gpu, 'name'), textAt(gpu, 'memory')];
    if (name === null) return sized([...GPU, 'memory'], memory === null ? [] : [memory], opened);
    return named([...GPU, 'name'], memory === null ? [name] : [name, memory], opened);
  }
  const words = gpu?.kind === 'scalar' ? (textAt(gpu) ?? '').split(':') : [];
  return named(GPU, words, opened) ?? sized(GPU, words, opened);
}

/** dstack takes the cheapest offer, which may have no more than the least memory that the file asks for. */
function sized(path: readonly string[], words: readonly string[], opened: Layer): Quantity<string> | null {
  const [memory, ...others] = words.filter(word => !COUNT.test(word));
  const least = /^(\d{1,4}GB)(?:\.\.|$)/i.exec(memory ?? '')?.[1];
  return least === undefined || others.length > 0 ? null : statedAt(opened, path, least);
}

function named(path: readonly string[], words: readonly string[], opened: Layer): Quantity<string> | null {
  const [name = '', ...rest] = words.filter(word => !/^\d+$/.test(word) && word !== '');
  if (!/^[A-Za-z][\w-]*$/.test(name) || rest.some(word => word.includes('..'))) return null;
  return statedAt(opened, path, [name, ...rest].join(' '));
}

function countIn(gpu: YamlNode | null): string {
  if (gpu?.kind !== 'scalar') return 'a list';
  const parts = (textAt(gpu) ?? '').split(':');
  return parts.find(part => COUNT.test(part) && part !== '') ?? '1';
}

function nodesOf(opened: Layer): Quantity<number> {
  const count = Number(textAt(rootOf(opened), 'nodes') ?? Number.NaN);
  if (Number.isInteger(count)) return { ...statedAt(opened, ['nodes'], count), unit: 'nodes' };
  const source = 'dstack mkdocs/docs/concepts/tasks.md: nodes';
  return { value: 1, origin: { kind: 'default', framework: 'dstack', version: '0.19.0', source } };
}

/** dstack's tasks and services. dstackai/dstack 511c318, mkdocs/docs/concepts/tasks.md. */
export const dstack: Dialect = builtIn(file, {
  accepts: asksForGpu,
  compose: dstackRuns,
});

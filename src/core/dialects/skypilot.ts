import type { Quantity } from '../spec/quantity';
import type { MapNode, YamlNode } from '../yaml/node';
import { runsOfJob, variablesOf } from './command/jobs';
import { located } from './command/located';
import {
  CUDA,
  nodeAt,
  derivedFrom,
  entriesOf,
  itemsOf,
  rootOf,
  statedAt,
  textAt,
  unknown,
} from './command/nodes';
import { commands } from './command/shell';
import type { Composition, Layer, NearbyFiles } from './engine/compose';
import { environmentMap } from './envelopes/environment';
import { builtIn } from './defined/compile';
import file from './skypilot.yaml';
import type { Dialect } from './dialect';

/** `A100:8`, `A100`: a GPU and its count per node. */
interface Accelerator {
  readonly name: string;
  readonly count: number;
}

function accelerator(text: string): Accelerator {
  const [name = '', count = '1'] = text.split(':');
  return { name, count: Number(count) };
}

/** The accelerators that a task may get: one, a list in order of preference, or a set. */
function acceleratorsIn(resources: YamlNode | null): Accelerator[] {
  const at = nodeAt(resources, 'accelerators');
  const own =
    at?.kind === 'scalar'
      ? [accelerator(textAt(at) ?? '')]
      : [
          ...itemsOf(at).map(item => accelerator(textAt(item) ?? '')),
          ...entriesOf(at).map(({ key, value }) => {
            const count = textAt(value);
            return count === null ? accelerator(key) : { name: key, count: Number(count) };
          }),
        ];
  const others = ['any_of', 'ordered'].flatMap(key => itemsOf(nodeAt(resources, key)));
  return [...own, ...others.flatMap(acceleratorsIn)].filter(({ name }) => name !== '');
}

const NOT_CUDA = /^(?:tpu|MI\d|inferentia|trainium|gaudi)/i;

/** True for a task on supported GPUs. */
const asksForAccelerators = (root: MapNode): boolean =>
  acceleratorsIn(nodeAt(root, 'resources')).some(({ name }) => !NOT_CUDA.test(name));

/** One run for each program that a task's text starts. */
async function taskRuns(opened: Layer, files: NearbyFiles): Promise<readonly Composition[]> {
  const root = rootOf(opened);
  const { text } = opened.yaml;
  const environment = environmentMap(nodeAt(root, 'envs'), ['envs'], text);
  const devices = devicesOf(opened);
  const nodes = nodesOf(opened);
  const variables = new Map(variablesOf(environment));
  if (devices.value !== null) variables.set('SKYPILOT_NUM_GPUS_PER_NODE', String(devices.value));
  variables.set('SKYPILOT_NUM_NODES', String(nodes.value));
  const script = nodeAt(root, 'run');
  const run = script?.kind === 'scalar' ? commands(located(script, text), variables) : [];
  const [gpu, ...others] = acceleratorsIn(nodeAt(root, 'resources'));
  const launched = {
    accelerator: CUDA,
    devices,
    nodes,
    ...(gpu && others.length === 0 && { gpu: statedAt(opened, ['resources', 'accelerators'], gpu.name) }),
  };
  return runsOfJob({ name: '', image: '', commands: run, environment, launched }, opened, files);
}

function devicesOf(opened: Layer): Quantity<number> {
  const candidates = acceleratorsIn(nodeAt(rootOf(opened), 'resources'));
  const counts = new Set(candidates.map(({ count }) => count));
  const [count] = counts;
  if (counts.size !== 1 || count === undefined || !Number.isInteger(count)) {
    return unknown('The task may get several numbers of GPUs: which one is decided when it starts.');
  }
  const path = ['resources', 'accelerators'];
  return candidates.length === 1
    ? statedAt(opened, path, count)
    : derivedFrom(path, count, `${count} of each`);
}

function nodesOf(opened: Layer): Quantity<number> {
  const count = Number(textAt(rootOf(opened), 'num_nodes') ?? Number.NaN);
  if (Number.isInteger(count)) return { ...statedAt(opened, ['num_nodes'], count), unit: 'nodes' };
  const source = 'skypilot docs/source/reference/yaml-spec.rst: num_nodes';
  return { value: 1, origin: { kind: 'default', framework: 'skypilot', version: '0.10.0', source } };
}

/** SkyPilot's tasks: GPUs per node, number of nodes, and shell text. skypilot 0048bbf, yaml-spec.rst. */
export const skypilot: Dialect = builtIn(file, {
  accepts: asksForAccelerators,
  compose: taskRuns,
});

import type { Quantity } from '../spec/quantity';
import type { Launched } from '../spec/runSpec';
import type { MapNode } from '../yaml/node';
import { CUDA, nodeAt, derivedFrom, rootOf, statedAt, textAt, unknown } from './command/nodes';
import { gpusIn } from './command/srun';
import type { Composition, Layer, NearbyFiles } from './engine/compose';
import { SBATCH } from './envelopes/batchScript';
import { runsOfScript } from './envelopes/script';
import { builtIn } from './defined/compile';
import file from './slurm.yaml';
import type { Dialect } from './dialect';

/**
 * True for the options of a batch script, which begin at the start of the script; a YAML section begins after its
 * key.
 */
const asksForGpus = (root: MapNode): boolean => {
  const options = nodeAt(root, SBATCH);
  return options?.kind === 'map' && options.span.start === root.span.start;
};

/** One run for each program that the script starts on the job's GPUs. */
async function batchRuns(opened: Layer, files: NearbyFiles): Promise<readonly Composition[]> {
  const gpu = gpuOf(opened);
  const launched = {
    accelerator: CUDA,
    devices: devicesOf(opened),
    nodes: nodesOf(opened),
    ...(gpu && { gpu }),
  };
  const name = option(opened, 'job-name') ?? '';
  // A script with nothing known but its nodes says nothing about memory.
  return runsOfScript(opened, files, { name, launched, known: variablesOf(launched) });
}

/** Variables that sbatch sets for the script (sbatch(1), OUTPUT ENVIRONMENT VARIABLES). */
function variablesOf({ devices, nodes }: Launched): Map<string, string | null> {
  const variables = new Map<string, string | null>();
  const set = (count: number | 'auto' | null | undefined, ...names: readonly string[]): void => {
    for (const name of names) variables.set(name, typeof count === 'number' ? String(count) : null);
  };
  set(nodes?.value, 'SLURM_NNODES', 'SLURM_JOB_NUM_NODES');
  set(devices?.value, 'SLURM_GPUS_ON_NODE', 'SLURM_GPUS_PER_NODE');
  return variables;
}

const option = (opened: Layer, name: string): string | null => textAt(rootOf(opened), SBATCH, name);

function count(opened: Layer, name: string): number | null {
  const value = Number(option(opened, name) ?? Number.NaN);
  return Number.isInteger(value) && value > 0 ? value : null;
}

function nodesOf(opened: Layer): Quantity<number> {
  const nodes = count(opened, 'nodes');
  if (nodes !== null) return { ...statedAt(opened, [SBATCH, 'nodes'], nodes), unit: 'nodes' };
  if (option(opened, 'nodes') !== null) return unknown('Slurm decides the number of nodes within a range.');
  const source = 'sbatch(1): one node where one suffices';
  return { value: 1, origin: { kind: 'default', framework: 'slurm', version: '24.05', source } };
}

/** `gpu:a100:4`, `--gpus=h100:8`: the cluster's name of the type; some use a constraint. */
function gpuOf(opened: Layer): Quantity<string> | null {
  for (const name of ['gres', 'gpus-per-node', 'gpus', 'gpus-per-task', 'constraint']) {
    const type = /^(?:gpu:)?([a-z][\w.-]*?)(?::\d+)?(?:\(.*\))?$/i.exec(option(opened, name) ?? '')?.[1];
    if (type !== undefined && type !== 'gpu') return statedAt(opened, [SBATCH, name], type);
  }
  return null;
}

function devicesOf(opened: Layer): Quantity<number> {
  for (const name of ['gpus-per-node', 'gres']) {
    const gpus = gpusIn(option(opened, name));
    if (gpus !== null) return statedAt(opened, [SBATCH, name], gpus);
  }
  const nodes = nodesOf(opened).value;
  const total = gpusIn(option(opened, 'gpus'));
  if (total !== null && nodes !== null && total % nodes === 0) {
    return derivedFrom([SBATCH, 'gpus'], total / nodes, `${total} GPUs ÷ ${nodes} nodes`);
  }
  const perTask = gpusIn(option(opened, 'gpus-per-task'));
  const tasks = count(opened, 'ntasks-per-node');
  if (perTask !== null && tasks !== null) {
    return derivedFrom([SBATCH, 'gpus-per-task'], perTask * tasks, `${perTask} × ${tasks} tasks`);
  }
  return unknown('No option of sbatch says how many GPUs a node gives.');
}

/** Slurm batch scripts: `#SBATCH` options, and the programs that the shell starts. sbatch(1) of Slurm 24.05. */
export const slurm: Dialect = builtIn(file, {
  accepts: asksForGpus,
  compose: batchRuns,
});

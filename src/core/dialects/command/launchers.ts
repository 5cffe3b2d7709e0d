import type { Launched } from '../../spec/runSpec';
import type { Quantity } from '../../spec/quantity';
import { CUDA } from './nodes';
import type { Command } from './shell';

/** What the launcher of a command says of its processes; each is one GPU. */
interface Launcher {
  readonly program: RegExp;
  /** Flags for the processes of a node, of all nodes together, and for the nodes. */
  readonly perNode: readonly string[];
  readonly total: readonly string[];
  readonly nodes: readonly string[];
  readonly source: string;
}

const LAUNCHERS: readonly Launcher[] = [
  {
    program: /(?:^|[/ ])(?:torchrun|torch\.distributed\.(?:run|launch))(?= |$)/,
    perNode: ['nproc_per_node', 'nproc-per-node'],
    total: [],
    nodes: ['nnodes'],
    source: 'torch/distributed/run.py',
  },
  {
    program: /(?:^|[/ ])accelerate launch(?= |$)/,
    perNode: [],
    total: ['num_processes', 'num-processes'],
    nodes: ['num_machines', 'num-machines'],
    source: 'accelerate/commands/launch.py',
  },
  {
    program: /(?:^|[/ ])deepspeed(?= |$)/,
    perNode: ['num_gpus'],
    total: [],
    nodes: ['num_nodes'],
    source: 'deepspeed/launcher/runner.py',
  },
  {
    program: /(?:^|[/ ])tune run(?= |$)/,
    perNode: ['nproc_per_node', 'nproc-per-node'],
    total: [],
    nodes: ['nnodes'],
    source: 'torchtune/_cli/run.py',
  },
];

/** GPUs and nodes that a command's launcher is told; nothing where it is none, or leaves them to somebody else. */
export function launchedBy(command: Command): Launched {
  const line = command.map(({ text }) => text).join(' ');
  const launcher = LAUNCHERS.find(({ program }) => program.test(line));
  if (!launcher) return {};
  const [perNode, total, nodes] = [launcher.perNode, launcher.total, launcher.nodes].map(names =>
    numberOf(command, names),
  );
  const machines = nodes ?? 1;
  const share = total !== null && total !== undefined && total % machines === 0 ? total / machines : null;
  const devices = perNode ?? share;
  const told = (count: number, unit: 'GPUs' | 'nodes'): Quantity<number> => ({
    value: count,
    origin: { kind: 'derived', from: [launcher.source], formula: `the launcher starts ${count}` },
    unit,
  });
  return {
    ...(devices !== null && { devices: told(devices, 'GPUs'), accelerator: CUDA }),
    ...(nodes !== null && nodes !== undefined && { nodes: told(nodes, 'nodes') }),
  };
}

/** The number behind `--name` or `--name=`; null where it is not there or not known yet. */
function numberOf(command: Command, names: readonly string[]): number | null {
  for (const [at, { text }] of command.entries()) {
    const [flag = '', inline] = text.replace(/^--?/, '').split('=');
    if (!text.startsWith('-') || !names.includes(flag)) continue;
    const value = Number(inline ?? command[at + 1]?.text ?? Number.NaN);
    return Number.isInteger(value) && value > 0 ? value : null;
  }
  return null;
}

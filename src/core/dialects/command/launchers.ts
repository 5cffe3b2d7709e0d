import type { Launched } from '../../spec/runSpec';
import type { Quantity } from '../../spec/quantity';
import { CUDA, unknown } from './nodes';
import type { Layer } from '../engine/compose';
import { lineIndexOf } from '../engine/layers';
import type { Command, Word } from './word';

/** How a launcher states its number of processes; each is one GPU. */
interface Launcher {
  readonly program: RegExp;
  /** Flags for the processes per node, in total, and for the number of nodes. */
  readonly perNode: readonly string[];
  readonly total: readonly string[];
  readonly nodes: readonly string[];
  /** If no flag states the nodes, there is one, unless this flag names a file that may state it. */
  readonly one?: 'always' | `unless ${string}`;
  /** The line in which the processes per node are a plain word. */
  readonly count?: RegExp;
  /** The flag that names the GPUs. */
  readonly include?: string;
  readonly source: string;
}

const LAUNCHERS: readonly Launcher[] = [
  {
    program: /(?:^|[/ ])(?:torchrun|torch\.distributed\.(?:run|launch))(?= |$)/,
    perNode: ['nproc_per_node', 'nproc-per-node'],
    total: [],
    nodes: ['nnodes'],
    one: 'always',
    source: 'torch/distributed/run.py',
  },
  {
    program: /(?:^|[/ ])accelerate launch(?= |$)/,
    perNode: [],
    total: ['num_processes', 'num-processes'],
    nodes: ['num_machines', 'num-machines'],
    one: 'unless config_file',
    source: 'accelerate/commands/launch.py',
  },
  {
    program: /(?:^|[/ ])deepspeed(?= |$)/,
    perNode: ['num_gpus'],
    total: [],
    nodes: ['num_nodes'],
    include: 'include',
    one: 'unless hostfile',
    source: 'deepspeed/launcher/runner.py',
  },
  {
    program: /(?:^|[/ ])(?:mpirun|mpiexec|horovodrun)(?= )/,
    perNode: [],
    total: ['np', 'n'],
    nodes: [],
    one: 'unless hostfile',
    source: 'horovod/runner/launch.py',
  },
  {
    program: /(?:^|[/ ])colossalai run(?= )/,
    perNode: ['nproc_per_node'],
    total: [],
    nodes: [],
    one: 'unless hostfile',
    source: 'colossalai/cli/launcher/__init__.py',
  },
  {
    program: /(?:^|[/ ])(?:lazyconfig_|plain_)?train_net\.py(?= )/,
    perNode: ['num-gpus'],
    total: [],
    nodes: ['num-machines'],
    one: 'always',
    source: 'detectron2/engine/defaults.py',
  },
  {
    program: /(?:^|[/ ])mim train(?= )/,
    perNode: ['gpus'],
    total: [],
    nodes: [],
    one: 'always',
    source: 'openmim/commands/train.py',
  },
  {
    // CONFIG GPUS
    program: /(?:^|[/ ])dist_train\.sh(?= )/,
    perNode: [],
    total: [],
    nodes: [],
    one: 'always',
    count: /dist_train\.sh [^\s-]\S{0,200} (\d{1,4})(?= |$)/,
    source: 'mmengine: tools/dist_train.sh',
  },
  {
    // GPUS ARGUMENTS
    program: /(?:^|[/ ])distributed_train\.sh(?= )/,
    perNode: [],
    total: [],
    nodes: [],
    one: 'always',
    count: /distributed_train\.sh (\d{1,4})(?= |$)/,
    source: 'timm: distributed_train.sh',
  },
  {
    program: /(?:^|[/ ])tune run(?= |$)/,
    perNode: ['nproc_per_node', 'nproc-per-node'],
    total: [],
    nodes: ['nnodes'],
    one: 'always',
    source: 'torchtune/_cli/run.py',
  },
];

/** GPUs and nodes of a command's launcher; empty if there is no launcher, or if something else decides. */
export function launchedBy(command: Command): Launched {
  const line = command.map(({ text }) => text).join(' ');
  const launcher = LAUNCHERS.find(({ program }) => program.test(line));
  if (!launcher) return {};
  const nodes = numberOf(command, launcher.nodes);
  const total = numberOf(command, launcher.total);
  const machines = nodes ?? 1;
  const share = total !== null && total % machines === 0 ? total / machines : null;
  const devices = numberOf(command, launcher.perNode) ?? share ?? countedBy(line, command, launcher);
  const quantity = (count: number, unit: 'GPUs' | 'nodes'): Quantity<number> => ({
    value: count,
    origin: { kind: 'derived', from: [launcher.source], formula: `the launcher starts ${count}` },
    unit,
  });
  return {
    ...(devices !== null && { devices: quantity(devices, 'GPUs'), accelerator: CUDA }),
    ...(nodes !== null && { nodes: quantity(nodes, 'nodes') }),
    ...(nodes === null &&
      // A total counts the processes of all machines.
      (isOneNode(command, launcher) || total !== null || includedBy(command, launcher) !== null) && {
        nodes: oneNode(launcher.source),
      }),
    ...openCounts(command, launcher, { devices, nodes }),
  };
}

/** Numbers that only the start knows, which win over what the launcher's own file says. */
function openCounts(
  command: Command,
  { perNode, total, nodes }: Launcher,
  known: Readonly<Record<'devices' | 'nodes', number | null>>,
): Launched {
  const isOpen = (count: number | null, flags: readonly string[]): boolean =>
    count === null && valueOf(command, flags) !== null;
  const why = (what: string): Quantity<never> =>
    unknown(`How many ${what} it is is known only where the command is started.`);
  return {
    ...(isOpen(known.devices, [...perNode, ...total]) && { gpus: why('GPUs') }),
    ...(isOpen(known.nodes, nodes) && { nodes: why('nodes') }),
  };
}

/** Processes that the launcher's words state without a flag of their own. */
const countedBy = (line: string, command: Command, launcher: Launcher): number | null =>
  Number(launcher.count?.exec(line)?.[1] ?? 0) || includedBy(command, launcher);

const isOneNode = (command: Command, { one }: Launcher): boolean =>
  one !== undefined && (one === 'always' || valueOf(command, [one.replace('unless ', '')]) === null);

const oneNode = (source: string): Quantity<number> => ({
  value: 1,
  origin: { kind: 'code', source: `${source}: one node` },
  unit: 'nodes',
});

/** `--include localhost:0,1`: GPUs of one machine. */
function includedBy(command: Command, { include }: Launcher): number | null {
  const [, slots = ''] = /^[^@:]+:([\d,]+)$/.exec((include && valueOf(command, [include])) ?? '') ?? [];
  return slots === '' ? null : slots.split(',').length;
}

/** The number after `--name` or `--name=`; null if missing or unknown. */
function numberOf(command: Command, names: readonly string[]): number | null {
  const value = Number(valueOf(command, names) ?? Number.NaN);
  return Number.isInteger(value) && value > 0 ? value : null;
}

/** The word after a flag; null if missing. */
function valueOf(command: Command, names: readonly string[]): string | null {
  for (const [at, { text }] of command.entries()) {
    const [flag = '', inline] = text.replace(/^--?/, '').split('=');
    if (text.startsWith('-') && names.includes(flag)) return inline ?? command[at + 1]?.text ?? '';
  }
  return null;
}

/** The processes that a command's launcher starts in all; null: that is not in the command. Absent: it has no launcher. */
export function processesOf(command: Command): number | null | undefined {
  if (!hasLauncher(command)) return undefined;
  const { devices, nodes } = launchedBy(command);
  const [each, machines] = [devices?.value, nodes?.value];
  return typeof each === 'number' && typeof machines === 'number' ? each * machines : null;
}

/** Whether a command's program is a launcher, which starts a process on each GPU. */
export function hasLauncher(command: Command): boolean {
  const line = command.map(({ text }) => text).join(' ');
  return LAUNCHERS.some(({ program }) => program.test(line));
}

/** `CUDA_VISIBLE_DEVICES=0,1` in front of a command: these are the GPUs that it sees; `NPROC_PER_NODE=2`: so many it starts on. */
export function visibleDevices(word: Word, opened: Layer): Launched {
  const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(word.text) ?? [];
  const ids = value.split(',').filter(id => id !== '');
  if (word.open || ids.length === 0) return {};
  const { line } = lineIndexOf(opened.yaml).placeOf(word.span.start);
  const at = {
    file: opened.path,
    path: name,
    keySpan: word.span,
    valueSpan: word.span,
    line,
  };
  if (name === 'NPROC_PER_NODE') {
    const started = Number(value);
    if (!Number.isInteger(started) || started < 1) return {};
    return {
      devices: { value: started, origin: { kind: 'file', at }, unit: 'GPUs' },
      // NNODES states the number of machines.
      ...(!/\bNNODES\b/.test(opened.yaml.text) && { nodes: oneNode('NPROC_PER_NODE without NNODES') }),
      accelerator: CUDA,
    };
  }
  return {
    devices: { value: ids.length, origin: { kind: 'file', at }, unit: 'GPUs' },
    deviceIds: ids,
    nodes: oneNode('CUDA_VISIBLE_DEVICES'),
    accelerator: CUDA,
  };
}

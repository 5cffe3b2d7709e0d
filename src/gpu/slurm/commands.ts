import { SLURM_FOLDERS } from '../../remote/script';

/** How Slurm's commands are started: program and arguments. */
export interface SlurmCommands {
  /** For JSON (23.02 and newer), where that is worth trying, then for one line a node. */
  readonly nodesAsJson: readonly string[] | null;
  readonly nodes: readonly string[];
  readonly command: (name: string, args: readonly string[]) => readonly string[];
}

const LINES = ['-d', '-o', 'show', 'node'] as const;

/** On this machine, as they are. */
export const commandsHere: SlurmCommands = {
  nodesAsJson: ['scontrol', 'show', 'node', '--json'],
  nodes: ['scontrol', ...LINES],
  command: (name, args) => [name, ...args],
};

const FOUND = `PATH="$PATH:${SLURM_FOLDERS}"; export PATH; `;

/** Said in place of nodes when there is none with a GPU, so that silence is a fault. */
const NONE = 'No nodes in the system';

/**
 * On a login node that many share: only nodes with GPUs come over the wire, and not as JSON, which is ten times as long.
 * The scripts are constant; what varies goes in as arguments.
 */
export const commandsOnLogin: SlurmCommands = {
  nodesAsJson: null,
  nodes: ['sh', '-c', `${FOUND}scontrol ${LINES.join(' ')} | { grep ' Gres=[^ ]*gpu' || echo '${NONE}'; }`],
  command: (name, args) => ['sh', '-c', `${FOUND}exec "$@"`, 'sh', name, ...args],
};

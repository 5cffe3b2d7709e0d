import { SLURM_FOLDERS } from '../../remote/script';

/** How Slurm's commands are started: program and arguments. */
export interface SlurmCommands {
  /** First for JSON (23.02 and newer) if it is worth trying, then for one line per node. */
  readonly nodesAsJson: readonly string[] | null;
  readonly nodes: readonly string[];
  readonly command: (name: string, args: readonly string[]) => readonly string[];
}

const LINES = ['-d', '-o', 'show', 'node'] as const;

/** On this machine, unchanged. */
export const commandsHere: SlurmCommands = {
  nodesAsJson: ['scontrol', 'show', 'node', '--json'],
  nodes: ['scontrol', ...LINES],
  command: (name, args) => [name, ...args],
};

const FOUND = `PATH="$PATH:${SLURM_FOLDERS}"; export PATH; `;

/** Printed if there is no node with a GPU, so that silence means an error. */
const NONE = 'No nodes in the system';

/**
 * On a shared login node: transfers only nodes with GPUs, and not as JSON, which is ten times as long. The scripts
 * are constant; values are passed as arguments.
 */
export const commandsOnLogin: SlurmCommands = {
  nodesAsJson: null,
  nodes: ['sh', '-c', `${FOUND}scontrol ${LINES.join(' ')} | { grep ' Gres=[^ ]*gpu' || echo '${NONE}'; }`],
  command: (name, args) => ['sh', '-c', `${FOUND}exec "$@"`, 'sh', name, ...args],
};

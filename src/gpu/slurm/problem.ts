import { failed } from '../clusterWatch';
import type { ClusterAnswer } from '../clusterWatch';
import type { HostState } from '../fleet';
import type { ToolRun } from '../runner';

interface Problem {
  readonly state: HostState;
  readonly message: string;
  readonly todo: string;
}

const AWAY: Problem = {
  state: 'unreachable',
  message: 'The Slurm controller does not answer.',
  todo: 'Run sinfo in a terminal there. If it hangs, tell the administrators of the cluster.',
};

const PATH_TODO = 'Add the folder of sinfo to the PATH of non-interactive shells there.';

const NO_TOOL: Problem = {
  state: 'no-tool',
  message: 'The Slurm commands (scontrol, sinfo, squeue) are not on the PATH.',
  todo: 'If this machine is not part of the cluster, set its login node: { "slurm": "ALIAS" } with an alias from ~/.ssh/config.',
};

/** Error messages of Slurm's commands, most specific first. */
const WORDS: readonly (readonly [RegExp, Problem])[] = [
  [
    /cannot stat file|configuration source|ClusterName needs|process configuration file/i,
    {
      state: 'driver-error',
      message: 'Slurm is installed here but has no cluster configured.',
      todo: 'Set SLURM_CONF, or set the cluster\'s login node: { \"slurm\": \"ALIAS\" }.',
    },
  ],
  [
    /munge|authentication|credential|invalid user|permission denied|zero bytes/i,
    {
      state: 'driver-error',
      message: 'Slurm rejects this user or machine.',
      todo: 'Run sinfo in a terminal there, and ask the administrators which machines have access.',
    },
  ],
  [/unable to contact|connect failure|connection refused|timed out|communication|not responding/i, AWAY],
  [/(?:^|[:\s])not found|no such file or directory/im, NO_TOOL],
];

const OTHER: Problem = {
  state: 'driver-error',
  message: 'The output of Slurm could not be parsed.',
  todo: 'Run `scontrol show node` in a terminal there.',
};

/** Why a Slurm command returned nothing. */
export function slurmProblem(run: ToolRun, onLoginNode: boolean): ClusterAnswer {
  const problem = problemOf(run);
  const todo = problem === NO_TOOL && onLoginNode ? PATH_TODO : problem.todo;
  const text = run.ok ? run.output.stderr || run.output.stdout : '';
  return failed(problem.state, problem.message, todo, text);
}

function problemOf(run: ToolRun): Problem {
  if (!run.ok) return run.why === 'timed-out' || run.why === 'busy' ? AWAY : NO_TOOL;
  const text = `${run.output.stderr}\n${run.output.stdout.slice(0, 1000)}`;
  return WORDS.find(([pattern]) => pattern.test(text))?.[1] ?? OTHER;
}

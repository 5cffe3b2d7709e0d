import { quotedText } from '../../remote/words';
import { scriptOf, SLURM_FOLDERS } from '../../remote/script';
import { JobError } from '../engine';
import type { JobGpus, JobLimits } from '../job';
import { startWatch, WATCH } from '../remote/watchScript';
import functionsSh from './functions.sh';
import jobSh from './job.sh';

export interface SlurmAsk {
  readonly id: string;
  readonly partition: string | null;
  readonly gpus: JobGpus;
  readonly limits: JobLimits;
  readonly argv: readonly string[];
}

/** In a word of an array's command: the number of its task, from 1. */
export const SHARD_WORD = '{shard}';

/** Names of partitions as Slurm takes them, several with commas. */
const PARTITION = /^[\w.+-]+(?:,[\w.+-]+)*$/;

/** What is asked of Slurm, an option a line, as the screen before the start shows it. */
export function slurmOptions({ id, partition, gpus, limits }: SlurmAsk): readonly string[] {
  if (partition !== null && !PARTITION.test(partition)) {
    throw new JobError('refused', `“${partition}” isn't a valid partition name.`);
  }
  const { timeMinutes, cpus, memoryMiB, array, requeue } = limits;
  return [
    `--job-name=headroom-${id}`,
    ...(partition === null ? [] : [`--partition=${partition}`]),
    '--nodes=1',
    '--ntasks=1',
    ...(gpus.count === 0 ? [] : [`--gres=gpu:${typeOf(gpus)}${whole(gpus.count)}`]),
    ...(cpus === null ? [] : [`--cpus-per-task=${whole(cpus)}`]),
    ...(memoryMiB === null ? [] : [`--mem=${whole(memoryMiB)}M`]),
    ...(timeMinutes === null ? [] : [`--time=${whole(timeMinutes)}`]),
    ...(array === null ? [] : [`--array=1-${whole(array)}`]),
    requeue ? '--requeue' : '--no-requeue',
    '--open-mode=append',
    '--export=ALL',
  ];
}

/** Names of types as Slurm's configuration has them; nothing that could be more than a name. */
function typeOf({ type }: JobGpus): string {
  if (type === undefined) return '';
  if (!/^[\w.+-]+$/.test(type)) throw new JobError('refused', `“${type}” isn't a valid GPU type.`);
  return `${type}:`;
}

function whole(count: number): number {
  if (!Number.isFinite(count) || count <= 0) throw new JobError('refused', `${count} isn't a valid amount.`);
  return Math.ceil(count);
}

/**
 * The script that is submitted. It writes down its own begin and end, which are there when Slurm has forgotten the job; a run
 * that was put back into the queue forgets the end before. Interrupted, it lives on until its command has ended.
 */
export function slurmScript(ask: SlurmAsk): string {
  const options = slurmOptions(ask).map(option => `#SBATCH ${option}\n`);
  return `#!/bin/sh\n${options.join('')}${scriptOf(jobSh, { WATCHING: watching(ask), COMMAND: commandLine(ask.argv) })}`;
}

/** A task of an array has its own mark, with an end, so that 1 is not taken for 10. */
function watching({ gpus, limits }: SlurmAsk): string {
  if (gpus.count === 0) return '';
  const mark = limits.array === null ? '' : 'export HEADROOM_JOB="$HEADROOM_JOB/$SLURM_ARRAY_TASK_ID/"\n';
  return `${mark}${startWatch(`'${WATCH}'`, '"$J/samples$N"')}\n`;
}

/** The command as a line of the script, the task's number where a word asks for it. */
export function commandLine(argv: readonly string[]): string {
  return argv
    .map(word =>
      word
        .split(SHARD_WORD)
        .map(piece => (piece === '' && word.includes(SHARD_WORD) ? '' : (quotedText(piece) ?? unfit(word))))
        .join('"$SLURM_ARRAY_TASK_ID"'),
    )
    .join(' ');
}

function unfit(word: string): never {
  throw new JobError(
    'refused',
    `Cannot write this argument of the command to the job script: ${JSON.stringify(word)}.`,
  );
}

/**
 * What a machine with Slurm's commands is asked in addition to what any host is (hostScript). Every command of Slurm hangs for minutes
 * while the controller is away, so each has a limit. The job's folder also has:
 *
 *   script     what was submitted
 *   slurm      the number that Slurm gave it
 *   started-N, exit-N   written by the script itself, for task N of an array; without -N where there is none: the time, and
 *                       the machine or the status
 *   samples-N             what the GPUs of task N showed
 *
 * \`task_pieces\` brings what is new in these, TASK:BYTES for what was read before, in pieces that say whose they are.
 * A crash between submitting and writing down the number loses nothing: the job's name has the id in it.
 */
export const SLURM_FUNCTIONS = scriptOf(functionsSh, { SLURM_FOLDERS });

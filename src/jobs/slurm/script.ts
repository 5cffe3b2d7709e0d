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

/** In an argument of an array's command: the task number, from 1. */
export const SHARD_WORD = '{shard}';

/** Valid partition names, several separated by commas. */
const PARTITION = /^[\w.+-]+(?:,[\w.+-]+)*$/;

/** The sbatch options, one per line, as the start screen shows them. */
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

/** A valid type name of Slurm's configuration; nothing that could be more than a name. */
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
 * The script to submit. It records its own start and end, which remain when Slurm has forgotten the job; a requeued
 * run removes the earlier end. On an interrupt it waits for its command to end.
 */
export function slurmScript(ask: SlurmAsk): string {
  const options = slurmOptions(ask).map(option => `#SBATCH ${option}\n`);
  return `#!/bin/sh\n${options.join('')}${scriptOf(jobSh, { WATCHING: watching(ask), COMMAND: commandLine(ask.argv) })}`;
}

/** Each array task has its own mark, with a terminator so that 1 does not match 10. */
function watching({ gpus, limits }: SlurmAsk): string {
  if (gpus.count === 0) return '';
  const mark = limits.array === null ? '' : 'export HEADROOM_JOB="$HEADROOM_JOB/$SLURM_ARRAY_TASK_ID/"\n';
  return `${mark}${startWatch(`'${WATCH}'`, '"$J/samples$N"')}\n`;
}

/** The command as a line of the script, with the task number for each placeholder. */
function commandLine(argv: readonly string[]): string {
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
 * Functions of a machine with Slurm's commands, in addition to a host's (hostScript). Slurm's commands hang
 * for minutes while the controller is unreachable, so each has a time limit. The job's folder also has:
 *
 *   script     the submitted script
 *   slurm      the job's number in Slurm
 *   started-N, exit-N   written by the script itself, for task N of an array; without -N for other jobs: the time, and
 *                       the machine or the status
 *   samples-N             readings of the GPUs of task N
 *
 * `task_pieces` returns what is new in these, given TASK:BYTES already read, in pieces labeled with their task.
 * A crash between submitting and recording the number loses nothing, because the job's name contains the id.
 */
export const SLURM_FUNCTIONS = scriptOf(functionsSh, { SLURM_FOLDERS });

import type { JobState } from '../job';
import { phrase } from '../../core/text/say';

/** One task as Slurm reports it. */
export interface SlurmTask {
  /** The array task number; null if it is not an array. */
  readonly task: string | null;
  /** `PENDING`, `OUT_OF_MEMORY`. */
  readonly state: string;
  readonly reason: string | null;
  readonly code: number | null;
  readonly signal: number | null;
  readonly restarts: number;
  /** What it had requested, in Slurm's notation (`00:30:00`, `16G`); null: not reported. */
  readonly time: string | null;
  readonly memory: string | null;
  /** The machine that it runs or ran on; null: none yet, or not reported. */
  readonly machine: string | null;
  /** How many tasks this line represents (`5-16` wait in one line). */
  readonly count: number;
}

/** Headroom's state for each of Slurm's; any other state counts as failed. */
const STATES: Readonly<Record<string, JobState>> = {
  PENDING: 'queued',
  CONFIGURING: 'queued',
  REQUEUED: 'queued',
  REQUEUE_FED: 'queued',
  REQUEUE_HOLD: 'queued',
  SPECIAL_EXIT: 'queued',
  RESV_DEL_HOLD: 'queued',
  RUNNING: 'running',
  COMPLETING: 'running',
  RESIZING: 'running',
  SIGNALING: 'running',
  STAGE_OUT: 'running',
  STOPPED: 'running',
  SUSPENDED: 'running',
  COMPLETED: 'succeeded',
  CANCELLED: 'stopped',
};

export const stateOfTask = ({ state }: SlurmTask): JobState => STATES[state] ?? 'failed';

/** Why it waits, for the user. */
const REASONS: Readonly<Record<string, string>> = {
  Resources: phrase`waits until enough GPUs, CPUs or memory are free`,
  Priority: phrase`waits behind other jobs`,
  BeginTime: phrase`waits for its start time`,
  Dependency: phrase`waits for another job`,
  JobHeldUser: phrase`is held; release it with \`scontrol release\``,
  JobHeldAdmin: phrase`is held by an administrator`,
  PartitionTimeLimit: phrase`requests more time than the partition allows`,
  PartitionNodeLimit: phrase`requests more nodes than the partition has`,
  ReqNodeNotAvail: phrase`waits for a node that is not available`,
  PartitionDown: phrase`waits because the partition is down`,
  JobArrayTaskLimit: phrase`waits for other tasks of its array`,
  Licenses: phrase`waits for a license`,
  Reservation: phrase`waits for its reservation`,
};

export function reasonText(reason: string): string {
  const [word = '', nodes] = reason.split(/,_?UnavailableNodes:/);
  const known = REASONS[word];
  if (known !== undefined) return nodes ? phrase`${word}: ${known} (${nodes}).` : phrase`${word}: ${known}.`;
  // Slurm's alternative wording until its scheduler considers the job again.
  if (reason.startsWith('Nodes_required_for_job_are_DOWN')) return `${REASONS['ReqNodeNotAvail'] ?? reason}.`;
  if (/^(?:QOS|Assoc|MaxJobs|MaxGRES)/.test(reason)) {
    return phrase`${reason}: your account has reached a limit.`;
  }
  return `${reason}.`;
}

/**
 * The meaning of an end that the command itself did not cause; null: the command's own end says everything. `own`:
 * its exit code, if its script recorded it.
 */
export function endText(
  { state, reason, signal, time, memory }: SlurmTask,
  own: number | null = null,
): string | null {
  switch (state) {
    case 'OUT_OF_MEMORY':
      return memoryText(memory, own);
    case 'TIMEOUT':
      return time === null
        ? phrase`Slurm stopped it at its time limit. Request more time (--time), or resume from its last checkpoint.`
        : phrase`Slurm stopped it at its time limit of ${time}. Request more time (--time), or resume from its last checkpoint.`;
    case 'FAILED':
      // A command that was killed by a signal did run, whatever reason Slurm gives: its output says more.
      return reason === null || signal !== null ? null : (FAILURES[reason] ?? null);
    default:
      return ENDS[state] ?? null;
  }
}

function memoryText(memory: string | null, own: number | null): string {
  const most = memory === null ? 'it requested' : `the ${memory} it requested`;
  const survived =
    own === 0 ? ' Slurm killed a child process; the job continued without it and ended with code 0.' : '';
  return `Slurm stopped it: it used more host RAM than ${most}. Request more (--mem); this is not GPU memory.${survived}`;
}

const ENDS: Readonly<Record<string, string>> = {
  CANCELLED: phrase`It was canceled with scancel.`,
  DEADLINE: phrase`Slurm stopped it at its deadline.`,
  NODE_FAIL: phrase`Its node failed. Start it again, or let Slurm requeue it automatically (--requeue).`,
  BOOT_FAIL: phrase`Its node did not start.`,
  PREEMPTED: phrase`It was preempted by a job with higher priority. Start it again, or let Slurm requeue it automatically (--requeue).`,
  REVOKED: phrase`Another cluster of the federation runs it.`,
};

/** Reasons for failures that the command did not cause. */
const FAILURES: Readonly<Record<string, string>> = {
  JobLaunchFailure: phrase`Slurm could not start it on its node.`,
  SystemFailure: phrase`Slurm itself failed while it ran.`,
};

/** `JobId=8 ArrayJobId=7 ArrayTaskId=2-4 JobState=PENDING Reason=Priority ExitCode=0:0 Restarts=1 …` */
export function taskInLine(line: string): SlurmTask | null {
  const value = (name: string) => new RegExp(`(?:^|\\s)${name}=(\\S+)`).exec(line)?.[1] ?? null;
  const state = value('JobState');
  if (state === null) return null;
  const [code, signal] = (value('ExitCode') ?? '').split(':').map(Number);
  const task = value('ArrayTaskId');
  const reason = value('Reason');
  return {
    task,
    state,
    reason: reason === null || reason === 'None' || reason === '(null)' ? null : reason,
    code: code ?? null,
    signal: signal === undefined || signal === 0 ? null : signal,
    restarts: Number(value('Restarts') ?? 0),
    time: amount(value('TimeLimit')),
    memory: amount(value('MinMemoryNode')),
    machine: machineIn(value('NodeList')),
    count: task === null ? 1 : tasksIn(task),
  };
}

/** `7_3|CANCELLED by 1000|0:15|00:30:00|16G|gpu1`, from sacct when the controller has forgotten the job. */
export function taskInAccount(line: string): SlurmTask | null {
  const [id = '', state = '', exit = '', time = null, memory = null, machine = null] = line.split('|');
  const word = state.split(' ')[0] ?? '';
  if (word === '') return null;
  const [code, signal] = exit.split(':').map(Number);
  const task = /_\[?([^\]]+)/.exec(id)?.[1] ?? null;
  return {
    task,
    state: word,
    reason: null,
    code: code ?? null,
    signal: signal === undefined || signal === 0 ? null : signal,
    restarts: 0,
    time: amount(time),
    memory: amount(memory),
    machine: machineIn(machine),
    count: task === null ? 1 : tasksIn(task),
  };
}

/** Each of our jobs has one machine; until then Slurm prints words (`(null)`, `None assigned`). */
export const machineIn = (text: string | null | undefined): string | null =>
  text !== null && text !== undefined && MACHINE.test(text) ? text : null;

/** Valid machine names, without Slurm's bracket syntax. */
const MACHINE = /^[\w.-]+$/;

/** A real limit: `UNLIMITED` and 0 are none. */
const amount = (text: string | null): string | null =>
  text === null || !/^[0-9]/.test(text) || /^0[A-Za-z]*$/.test(text) ? null : text;

/** The number of tasks in `1-4,9%2`. */
function tasksIn(text: string): number {
  const counts = (text.split('%')[0] ?? '').split(',').map(range => {
    const [, first, last, step] = /^(\d+)(?:-(\d+))?(?::(\d+))?$/.exec(range) ?? [];
    return last === undefined ? 1 : Math.floor((Number(last) - Number(first)) / Number(step ?? 1)) + 1;
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

import type { Answer } from '../../remote/answers';
import type { JobSighting } from '../engine';
import type { JobExit, JobState } from '../job';
import { allValues, firstValue } from '../remote/host';
import { exitOf, signalName } from '../remote/sighting';
import { endText, machineIn, reasonText, stateOfTask, taskInAccount, taskInLine } from './states';
import type { SlurmTask } from './states';
import { phrase } from '../../core/text/say';

/** An end that the job's own script recorded. */
interface Written {
  readonly task: string | null;
  readonly code: number;
  readonly at: number;
}

/** A job's state from a machine with Slurm's commands. */
export function slurmSighting(answer: Answer, tasks: number | null, nowMs: number): JobSighting {
  const hostNow = Number(firstValue(answer, 'now') ?? NaN);
  const here = (at: number | undefined): number | null =>
    at !== undefined && Number.isFinite(at - hostNow) ? nowMs - (hostNow - at) * 1000 : null;
  const written = allValues(answer, 'exit').map(writtenIn);
  const begun = allValues(answer, 'started').map(parseStart);
  const begins = begun.map(({ at }) => at).sort((a, b) => a - b);
  const all = tasksOf(answer);
  const isStopped = firstValue(answer, 'stop') !== null;
  const outcome =
    all.length > 0
      ? outcomeOfTasks(all, isStopped, written)
      : outcomeOfFiles(answer, written, tasks ?? 1, isStopped);
  const isOver = ['succeeded', 'failed', 'stopped', 'lost'].includes(outcome.state);
  const last = written.map(({ at }) => at).sort((a, b) => b - a)[0];
  const startedMs = here(begins[0]);
  const machines = machinesOf([...begun, ...all]);
  return {
    ...outcome,
    startedMs,
    endedMs: isOver ? here(last) : null,
    ...(machines && { machines }),
  };
}

/** By task number; the last one wins. */
function machinesOf(
  tasks: readonly { readonly task: string | null; readonly machine: string | null }[],
): Readonly<Record<string, string>> | null {
  const known = tasks.flatMap(({ task, machine }) =>
    machine === null ? [] : [[task ?? '0', machine] as const],
  );
  return known.length === 0 ? null : Object.fromEntries(known);
}

type Outcome = Pick<JobSighting, 'state' | 'message' | 'exit'>;

function tasksOf(answer: Answer): readonly SlurmTask[] {
  const now = allValues(answer, 'job').map(taskInLine);
  const then = allValues(answer, 'acct').map(taskInAccount);
  return [...now, ...then].filter(task => task !== null);
}

/** `- 1795353211 gpu1`, `-3 1795353211`. */
function parseStart(line: string) {
  const [task = '', at, machine] = line.split(' ');
  return { task: taskIn(task), at: Number(at), machine: machineIn(machine) };
}

const taskIn = (suffix: string): string | null => (suffix === '-' ? null : suffix.slice(1));

function writtenIn(line: string): Written {
  const [task = '', code, at] = line.split(' ');
  return { task: taskIn(task), code: Number(code), at: Number(at) };
}

function outcomeOfTasks(
  tasks: readonly SlurmTask[],
  isStopped: boolean,
  written: readonly Written[],
): Outcome {
  const count = (state: JobState) =>
    tasks.filter(task => stateOfTask(task) === state).reduce((sum, task) => sum + task.count, 0);
  const total = tasks.reduce((sum, task) => sum + task.count, 0);
  const waits = tasks.find(task => stateOfTask(task) === 'queued');
  const running = count('running');
  if (running > 0 || waits !== undefined) {
    const state = running === 0 && count('queued') === total ? 'queued' : 'running';
    const counts = total > 1 ? phrase`${running} of ${total} tasks run, ${count('queued')} wait.` : null;
    const why = waits?.reason ? reasonText(waits.reason) : null;
    const restarts = Math.max(...tasks.map(task => task.restarts));
    const again = restarts > 0 ? againText(restarts, waits !== undefined) : null;
    const message = [counts, again, why].filter(text => text !== null).join(' ');
    return { state: isStopped ? 'stopping' : state, message: message === '' ? null : message, exit: null };
  }
  return ended(tasks, total, isStopped, written);
}

/** `It was requeued`: a run that restarts after a node failure or preemption. */
function againText(restarts: number, waits: boolean): string {
  if (restarts === 1) return waits ? phrase`It was requeued.` : phrase`It was requeued and has restarted.`;
  return waits
    ? phrase`It was requeued, ${restarts} times so far.`
    : phrase`It was requeued and has restarted, ${restarts} times so far.`;
}

/** All tasks are over: the first failed one determines the result. */
function ended(
  tasks: readonly SlurmTask[],
  total: number,
  isStopped: boolean,
  written: readonly Written[],
): Outcome {
  const failed = tasks.filter(task => stateOfTask(task) === 'failed');
  const worst = failed[0] ?? tasks.find(task => stateOfTask(task) === 'stopped') ?? tasks[0];
  if (worst === undefined) return { state: 'lost', message: null, exit: null };
  const state = isStopped && failed.length > 0 ? 'stopped' : stateOfTask(worst);
  const own = written.find(({ task }) => task === worst.task)?.code ?? null;
  const end = isStopped ? null : endText(worst, own);
  const names = failed.slice(0, 8).map(task => `${task.task} (${task.state})`);
  const which =
    total > 1 && failed.length > 0 && !isStopped
      ? `${failed.length} of ${total} tasks failed: ${names.join(', ')}.`
      : null;
  const message = [which, end].filter(text => text !== null).join(' ');
  return { state, message: message === '' ? null : message, exit: exitIn(worst, own) };
}

function exitIn({ state, code, signal }: SlurmTask, own: number | null): JobExit {
  // Slurm reports a nonexistent signal 125 here; the script knows how its command ended.
  if (state === 'OUT_OF_MEMORY') {
    return { code: own, signal: own === null ? null : exitOf(own).signal, reason: state };
  }
  const isOwn = state === 'COMPLETED' || state === 'FAILED';
  const shell = exitOf(code ?? 0);
  // For a job that Slurm ended, sacct reports 0, which is not its command's exit code.
  const known = isOwn || code !== 0 ? code : null;
  return {
    code: signal === null ? known : null,
    signal: signal === null ? shell.signal : signalName(signal),
    reason: isOwn ? null : state,
  };
}

/** Slurm knows nothing of it (any more), so the script's records decide. */
function outcomeOfFiles(
  answer: Answer,
  written: readonly Written[],
  tasks: number,
  isStopped: boolean,
): Outcome {
  const away = firstValue(answer, 'away');
  const worst = written.find(({ code }) => code !== 0) ?? written[0];
  if (worst !== undefined && written.length >= tasks) {
    const state = isStopped ? 'stopped' : worst.code === 0 ? 'succeeded' : 'failed';
    return { state, message: null, exit: exitOf(worst.code) };
  }
  if (away !== null) {
    return { state: 'unknown', message: `The Slurm controller is unreachable: ${away}`, exit: null };
  }
  if (firstValue(answer, 'slurm') !== null) {
    const message = 'Slurm no longer has a record of this job.';
    return { state: isStopped ? 'stopped' : 'lost', message: isStopped ? null : message, exit: null };
  }
  if (firstValue(answer, 'never') !== null) {
    return {
      state: isStopped ? 'stopped' : 'failed',
      message: 'It was canceled before it was submitted.',
      exit: null,
    };
  }
  if (firstValue(answer, 'stale') !== null) {
    return {
      state: 'failed',
      message: 'Its submission was interrupted, and Slurm has no job of this name.',
      exit: null,
    };
  }
  return { state: 'starting', message: 'Not submitted yet.', exit: null };
}

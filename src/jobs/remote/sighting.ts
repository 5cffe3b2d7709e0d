import type { Answer } from '../../remote/answers';
import type { JobSighting } from '../engine';
import type { JobExit, JobState } from '../job';
import { allValues, firstValue } from './host';

/** Signals by number, where Linux and macOS agree. */
const SIGNALS: Readonly<Record<number, string>> = {
  1: 'SIGHUP',
  2: 'SIGINT',
  3: 'SIGQUIT',
  4: 'SIGILL',
  6: 'SIGABRT',
  8: 'SIGFPE',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  13: 'SIGPIPE',
  14: 'SIGALRM',
  15: 'SIGTERM',
};

/** Above this, a shell's status stands for a signal. */
const SIGNALLED = 128;

export const signalName = (signal: number): string => SIGNALS[signal] ?? `signal ${signal}`;

/** How a command ended, from its shell status. */
export function exitOf(status: number): JobExit {
  return { code: status, signal: SIGNALS[status - SIGNALLED] ?? null, reason: null };
}

/** A job's state from a host's `look`. `nowMs` is this machine's time, because the host's clock may differ. */
export function sightingOf(answer: Answer, alias: string, nowMs: number): JobSighting {
  const has = (word: string) => firstValue(answer, word) !== null;
  const hostNow = Number(firstValue(answer, 'now') ?? NaN);
  const here = (text: string | null | undefined): number | null => {
    const at = Number(text === null || text === undefined || text === '' ? NaN : text);
    return Number.isFinite(at) && Number.isFinite(hostNow) ? nowMs - (hostNow - at) * 1000 : null;
  };
  const members = allValues(answer, 'member').length;
  const [code, when] = firstValue(answer, 'exit')?.split(' ') ?? [];
  const exit = code === undefined ? null : exitOf(Number(code));
  const startedMs = here(firstValue(answer, 'started'));
  const isStopped = has('stop');
  const seen = (state: JobState, message: string | null = null): JobSighting => ({
    state,
    message,
    startedMs,
    endedMs: here(when),
    exit,
  });
  if (exit !== null) return seen(...endOf(exit, isStopped, members));
  if (has('alive') || members > 0) return seen(isStopped ? 'stopping' : 'running');
  return seen(...missingEnd(has, isStopped, alias));
}

type StateMessage = readonly [state: JobState, message: string | null];

function endOf({ code }: JobExit, isStopped: boolean, processes: number): StateMessage {
  const left = processes === 0 ? null : `Ended, but ${processes} of its processes still run.`;
  if (isStopped) return ['stopped', left];
  return [code === 0 ? 'succeeded' : 'failed', left];
}

/** Nothing runs, and no end was recorded. */
function missingEnd(has: (word: string) => boolean, isStopped: boolean, alias: string): StateMessage {
  if (has('rebooted')) return ['lost', `${alias} was restarted while the job ran.`];
  if (has('pid')) {
    return isStopped ? ['stopped', null] : ['lost', 'Lost track of the job: no record of how it ended.'];
  }
  if (has('never')) {
    return [isStopped ? 'stopped' : 'failed', `It was canceled before it started on ${alias}.`];
  }
  if (has('stale')) return ['failed', `Its start on ${alias} was interrupted; nothing runs there.`];
  return ['starting', has('begun') ? null : `Not running on ${alias} yet.`];
}

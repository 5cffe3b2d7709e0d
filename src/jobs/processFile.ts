import type { JobExit } from './job';
import { readJson } from './files';
import { isRecord } from '../core/text/json';

/** `process.json`: the job's first process. `pid` is null from just before the start until it is known. */
export interface ProcessFile {
  readonly pid: number | null;
  readonly start: string | null;
  /** The process group id; null on systems without groups. */
  readonly group: number | null;
  /** The folder of its cgroup v2, which contains all descendants; null if none could be made. */
  readonly cgroup: string | null;
  readonly startedMs: number;
  /**
   * How it ended, written as soon as it is known: descendants may still run, and the keeper may be killed while it
   * waits for them. Null until then.
   */
  readonly ended: ExitFile | null;
}

/** `exit.json`: how the first process ended, written once its whole group is gone. */
export interface ExitFile extends JobExit {
  /** A sentence for the user, if the exit does not say everything. */
  readonly message: string | null;
  readonly endedMs: number;
}

const numberOr = (value: unknown): number | null => (typeof value === 'number' ? value : null);
const textOr = (value: unknown): string | null => (typeof value === 'string' ? value : null);

export async function readProcessFile(path: string): Promise<ProcessFile | null> {
  const value = await readJson(path);
  if (!isRecord(value)) return null;
  return {
    pid: numberOr(value['pid']),
    start: textOr(value['start']),
    group: numberOr(value['group']),
    cgroup: textOr(value['cgroup']),
    startedMs: numberOr(value['startedMs']) ?? 0,
    ended: exitFrom(value['ended']),
  };
}

export const readExitFile = async (path: string): Promise<ExitFile | null> => exitFrom(await readJson(path));

function exitFrom(value: unknown): ExitFile | null {
  if (!isRecord(value)) return null;
  return {
    code: numberOr(value['code']),
    signal: textOr(value['signal']),
    reason: textOr(value['reason']),
    message: textOr(value['message']),
    endedMs: numberOr(value['endedMs']) ?? 0,
  };
}

/** The reason of a job that was canceled while it waited. */
export const NOT_BEGUN = 'stopped before it started';
/** The reason of a job that was asked to end while its record could not be written. */
export const ASKED = 'stopped on request';

export function endOf({ code, reason }: JobExit): 'succeeded' | 'failed' | 'stopped' {
  if (reason === NOT_BEGUN || reason === ASKED) return 'stopped';
  return code === 0 ? 'succeeded' : 'failed';
}

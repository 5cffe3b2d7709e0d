import type { JobExit } from './job';
import { readJson } from './files';
import { isRecord } from '../core/text/json';

/** `process.json`: the job's first process. `pid` is null from just before it is started until it is known. */
export interface ProcessFile {
  readonly pid: number | null;
  readonly start: string | null;
  /** Processes of its group have this number; null where there are no groups. */
  readonly group: number | null;
  /** The folder of its group of cgroup v2, which owns all that descends from it; null where none could be made. */
  readonly cgroup: string | null;
  readonly startedMs: number;
}

/** `exit.json`: how the first process ended, once all of its group are gone. */
export interface ExitFile extends JobExit {
  /** A sentence for people, where the exit does not say all. */
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
  };
}

export async function readExitFile(path: string): Promise<ExitFile | null> {
  const value = await readJson(path);
  if (!isRecord(value)) return null;
  return {
    code: numberOr(value['code']),
    signal: textOr(value['signal']),
    reason: textOr(value['reason']),
    message: textOr(value['message']),
    endedMs: numberOr(value['endedMs']) ?? 0,
  };
}

/** The reason of one that was called off while it waited. */
export const NOT_BEGUN = 'stopped before it started';
/** The reason of one that was asked to end, whose record could not say so. */
export const ASKED = 'stopped on request';

export function endOf({ code, reason }: JobExit): 'succeeded' | 'failed' | 'stopped' {
  if (reason === NOT_BEGUN || reason === ASKED) return 'stopped';
  return code === 0 ? 'succeeded' : 'failed';
}

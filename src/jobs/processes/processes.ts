import { pidsIn } from './cgroup';
import { linuxProcesses } from './linux';
import type { Processes, ProcessRow } from './process';
import { psProcesses } from './ps';
import { windowsProcesses } from './windows';

/** The variable that marks a process as a job's, whatever group or session it moved to. */
export const JOB_MARK = 'HEADROOM_JOB';

export function processesOf(platform: string): Processes {
  if (platform === 'linux') return linuxProcesses;
  return platform === 'win32' ? windowsProcesses : psProcesses;
}

/** A process that was seen before. */
export interface KnownProcess {
  readonly pid: number;
  readonly start: string;
}

/** Whether exactly that process still runs. */
export async function isAlive(processes: Processes, { pid, start }: KnownProcess): Promise<boolean> {
  return (await processes.of(pid))?.start === start;
}

/** A job's first process and its group, as far as known. */
export interface JobProcess {
  readonly id: string;
  readonly pid: number | null;
  readonly start: string | null;
  readonly group: number | null;
  /** Its cgroup v2; absent or null: none. */
  readonly cgroup?: string | null;
  /** The output file of its processes; absent or null: unknown. */
  readonly output?: string | null;
}

/**
 * The processes of a job: those of its cgroup and its process group, those that carry its mark or write to its
 * output (launchers start workers in new sessions), and all descendants.
 */
export async function processesOfJob(processes: Processes, job: JobProcess): Promise<readonly ProcessRow[]> {
  const others = (await processes.all()).filter(({ pid }) => pid !== process.pid);
  const marks = await Promise.all(others.map(({ pid }) => processes.startedWith(pid, JOB_MARK, job.id)));
  const marked = others.filter((_, i) => marks[i] === true);
  const inGroup = others.filter(({ group }) => job.group !== null && group === job.group);
  const first = others.filter(({ pid, start }) => pid === job.pid && start === job.start);
  const owned = job.cgroup ? await pidsIn(job.cgroup) : null;
  const inCgroup = others.filter(({ pid }) => owned?.has(pid));
  const printing = owned === null && job.output ? await printingInto(processes, others, job.output) : [];
  const ours = new Set(
    [...first, ...marked, ...inCgroup, ...printing, ...(isOurs(inGroup, marked, job) ? inGroup : [])].map(
      ({ pid }) => pid,
    ),
  );
  for (let before = -1; before !== ours.size;) {
    before = ours.size;
    for (const { pid, parent } of others) if (ours.has(parent)) ours.add(pid);
  }
  return others.filter(({ pid }) => ours.has(pid));
}

/**
 * Processes that write to a file: those that left session, parent and environment behind usually kept their
 * streams.
 */
async function printingInto(
  processes: Processes,
  rows: readonly ProcessRow[],
  output: string,
): Promise<readonly ProcessRow[]> {
  const prints = await Promise.all(rows.map(async ({ pid }) => processes.printsInto?.(pid, output)));
  return rows.filter((_, i) => prints[i] === true);
}

/**
 * Whether a process group is still the job's. Its number is not reused while it has members; after that, another
 * process may get it, which then leads the group and is not the job's.
 */
function isOurs(inGroup: readonly ProcessRow[], marked: readonly ProcessRow[], job: JobProcess): boolean {
  if (inGroup.some(row => marked.includes(row))) return true;
  const leader = inGroup.find(({ pid }) => pid === job.group);
  return leader ? leader.start === job.start : process.platform !== 'linux';
}

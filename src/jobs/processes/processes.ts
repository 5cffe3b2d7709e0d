import { pidsIn } from './cgroup';
import { linuxProcesses } from './linux';
import { psProcesses } from './ps';
import { windowsProcesses } from './windows';

/** A process as the system lists it. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Tells it from a later process of the same number. */
  readonly start: string;
  readonly name: string;
}

/** The processes of this machine, without those that have ended and are only still listed. */
export interface Processes {
  /** Null: there is none of this number. */
  of(pid: number): Promise<ProcessRow | null>;
  all(): Promise<readonly ProcessRow[]>;
  /** Whether it was started with this variable; null: this system does not show it. */
  startedWith(pid: number, name: string, value: string): Promise<boolean | null>;
  /** Whether one of its two streams leads to this file; absent: this system does not show it. */
  printsInto?(pid: number, path: string): Promise<boolean>;
}

/** The variable by which a process tells whose job it is, whatever group or session it has moved to. */
export const JOB_MARK = 'HEADROOM_JOB';

export function processesOf(platform: string): Processes {
  if (platform === 'linux') return linuxProcesses;
  return platform === 'win32' ? windowsProcesses : psProcesses;
}

/** A process that was seen once. */
export interface KnownProcess {
  readonly pid: number;
  readonly start: string;
}

/** Whether that very process still runs. */
export async function isAlive(processes: Processes, { pid, start }: KnownProcess): Promise<boolean> {
  return (await processes.of(pid))?.start === start;
}

/** A job's first process and its group, as far as they are known. */
export interface JobProcess {
  readonly id: string;
  readonly pid: number | null;
  readonly start: string | null;
  readonly group: number | null;
  /** Its group of cgroup v2; absent or null where it has none. */
  readonly cgroup?: string | null;
  /** The file that both streams of its processes lead to; absent or null where that is not known. */
  readonly output?: string | null;
}

/**
 * The processes of a job: those of its cgroup, its process group, the processes that carry its mark or print into its output
 * (launchers give their workers sessions of their own), and what descends from those.
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

/** Those whose streams lead to a file: what left session, parent and environment behind mostly kept them. */
async function printingInto(
  processes: Processes,
  rows: readonly ProcessRow[],
  output: string,
): Promise<readonly ProcessRow[]> {
  const prints = await Promise.all(rows.map(async ({ pid }) => processes.printsInto?.(pid, output)));
  return rows.filter((_, i) => prints[i] === true);
}

/**
 * Whether a group is still the job's. Its number is no one else's while it has members; once it had none, another process
 * may have been given it, which then leads the group and is not the job's.
 */
function isOurs(inGroup: readonly ProcessRow[], marked: readonly ProcessRow[], job: JobProcess): boolean {
  if (inGroup.some(row => marked.includes(row))) return true;
  const leader = inGroup.find(({ pid }) => pid === job.group);
  return leader ? leader.start === job.start : process.platform !== 'linux';
}

import type { StopRung } from '../engine';
import { ask } from './ps';
import { killGroup } from './cgroup';
import { processesOfJob } from './processes';
import type { JobProcess } from './processes';
import type { Processes } from './process';

const SIGNALS = { interrupt: 'SIGINT', terminate: 'SIGTERM', kill: 'SIGKILL' } as const;

/**
 * Sends one rung to all processes of a job. An interrupt goes to its process group, like Ctrl+C in a terminal; the
 * others also reach workers in separate sessions.
 */
export async function signalJob(processes: Processes, job: JobProcess, rung: StopRung): Promise<void> {
  if (process.platform === 'win32') {
    await endTree(job.pid, rung);
    return;
  }
  const members = await processesOfJob(processes, job);
  // A group without the job's processes is gone, and its number may be reused.
  const hasGroup = job.group !== null && members.some(({ group }) => group === job.group);
  if (hasGroup) send(-job.group, SIGNALS[rung]);
  if (hasGroup && rung === 'interrupt') return;
  if (rung === 'kill' && job.cgroup) await killGroup(job.cgroup);
  for (const { pid, group } of members) {
    if (!hasGroup || group !== job.group) send(pid, SIGNALS[rung]);
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself meanwhile.
  }
}

/** Windows has no signals: taskkill asks windows to close, and with /F terminates. */
async function endTree(pid: number | null, rung: StopRung): Promise<void> {
  if (pid === null) return;
  const force = rung === 'kill' ? ['/F'] : [];
  await ask('taskkill', ['/PID', String(pid), '/T', ...force]);
}

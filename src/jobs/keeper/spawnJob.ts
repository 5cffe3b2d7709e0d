import { spawn } from 'node:child_process';
import { open, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SeenGpu } from '../../core/hardware/sight';
import type { JobExit, JobRecord } from '../job';
import { within } from '../processes/cgroup';
import { readSecrets, withWords } from '../secrets';
import { JOB_MARK } from '../processes/processes';

/** A job's first process, or why it did not start. */
type Spawned =
  | { readonly ok: true; readonly pid: number; readonly ended: Promise<JobExit> }
  | { readonly ok: false; readonly why: string };

/** Starts the job's program in a process group, with its output in a file. */
export async function spawnJob(
  record: JobRecord,
  gpus: readonly SeenGpu[],
  output: string,
  cgroup: string | null,
): Promise<Spawned> {
  const { folder } = record;
  const kept = await readSecrets(join(dirname(output), 'secrets.json'));
  const [program = '', ...args] = withWords(record.argv, kept?.argv ?? {});
  const isFolder = await stat(folder).then(
    found => found.isDirectory(),
    () => false,
  );
  if (!isFolder) return { ok: false, why: `${folder}: the working folder does not exist.` };
  const file = await open(output, 'a', 0o600);
  try {
    return await new Promise<Spawned>(resolve => {
      const child = within(cgroup, () =>
        spawn(program, args, {
          cwd: folder,
          detached: true,
          windowsHide: true,
          shell: false,
          stdio: ['ignore', file.fd, file.fd],
          env: jobEnvironment(record, gpus, process.env),
        }),
      );
      const ended = new Promise<JobExit>(done => {
        child.once('exit', (code, signal) => done({ code, signal, reason: null }));
      });
      child.once('error', error => resolve({ ok: false, why: whyNot(program, error) }));
      child.once('spawn', () => resolve({ ok: true, pid: child.pid ?? 0, ended }));
    });
  } catch (error) {
    return { ok: false, why: whyNot(program, error as Error) };
  } finally {
    await file.close();
  }
}

function whyNot(program: string, error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') {
    return `${program}: not found on your PATH; install it, or activate the environment that has it.`;
  }
  if (error.code === 'EACCES') return `${program}: not executable; change its permissions.`;
  return `${program}: couldn't start (${error.message}).`;
}

/** Omits variables of the editor and of Headroom; makes Python print without buffering. */
function jobEnvironment(
  record: JobRecord,
  gpus: readonly SeenGpu[],
  own: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const kept = Object.entries(own).filter(([name]) => !/^(?:ELECTRON_|VSCODE_|HEADROOM_KEEPER_)/.test(name));
  const { uuids, count } = record.gpus;
  return {
    PYTHONUNBUFFERED: '1',
    ...Object.fromEntries(kept),
    // A job without GPUs must not use one that another job was given.
    ...((uuids.length > 0 || count === 0) && visible(uuids, gpus)),
    ...record.environment,
    [JOB_MARK]: record.id,
  };
}

/** CUDA accepts UUIDs of GPUs and MIG instances; HIP needs indices, in the order of AMD's tools. */
function visible(uuids: readonly string[], gpus: readonly SeenGpu[]): NodeJS.ProcessEnv {
  if (gpus.some(({ vendor }) => vendor === 'amd')) {
    return { HIP_VISIBLE_DEVICES: gpus.map(({ index }) => index).join(',') };
  }
  return { CUDA_VISIBLE_DEVICES: uuids.join(',') };
}

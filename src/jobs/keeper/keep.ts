import { basename, dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { writeWhole } from '../files';
import type { JobExit } from '../job';
import { tryLock } from '../lock';
import { endOf, NOT_BEGUN, readExitFile, readProcessFile } from '../processFile';
import type { ExitFile, ProcessFile } from '../processFile';
import { processesOf, processesOfJob } from '../processes/processes';
import type { JobProcess, ProcessRow } from '../processes/processes';
import { settled } from '../settle';
import { JobStore } from '../store';
import type { JobPaths } from '../stateFolder';
import { spawnJob } from './spawnJob';

/** How often a group is looked at whose first process has ended. */
const GROUP_MS = 500;

const processes = processesOf(process.platform);

/**
 * Looks after one job: waits for its turn, starts it once, and writes down how it ended. It is a process of its own, which
 * nobody has to wait for; when it is killed the job goes on.
 */
export async function keep(folder: string): Promise<void> {
  const store = new JobStore(dirname(dirname(folder)));
  const id = basename(folder);
  const paths = store.paths(id);
  const release = await tryLock(paths.keeper);
  // Another one has it, or had it: a job is started once.
  if (!release) return;
  try {
    const begun = (await readExitFile(paths.exit)) ?? (await readProcessFile(paths.process));
    if (begun === null) await run(store, id, paths);
  } finally {
    await release();
  }
}

async function run(store: JobStore, id: string, paths: JobPaths): Promise<void> {
  const record = await store.update(id, now =>
    now.state === 'stopping' ? null : { ...now, state: 'starting' },
  );
  if (record.state === 'stopping') {
    await end(store, paths, id, { code: null, signal: null, reason: NOT_BEGUN }, null);
    return;
  }
  const startedMs = Date.now();
  // Whoever finds this knows that the process may be there.
  await writeProcess(paths, { pid: null, start: null, group: null, startedMs });
  const spawned = await spawnJob(record, paths.output);
  if (!spawned.ok) {
    await end(store, paths, id, { code: null, signal: null, reason: 'not started' }, spawned.why);
    return;
  }
  const { pid, ended } = spawned;
  const start = (await processes.of(pid))?.start ?? null;
  const group = process.platform === 'win32' ? null : pid;
  await writeProcess(paths, { pid, start, group, startedMs });
  await store.update(id, now => settled(now, runningSince(startedMs), Date.now()));
  const exit = await ended;
  await groupGone(store, { id, pid, start, group }, exit);
  await end(store, paths, id, exit, null);
}

const writeProcess = (paths: JobPaths, file: ProcessFile): Promise<void> =>
  writeWhole(paths.process, `${JSON.stringify(file)}\n`);

const runningSince = (startedMs: number) => ({
  state: 'running' as const,
  message: null,
  startedMs,
  endedMs: null,
  exit: null,
  pids: [],
});

/** A script may end before what it has put into the background. */
async function groupGone(store: JobStore, job: JobProcess, exit: JobExit): Promise<void> {
  const { id, group } = job;
  if (group === null) return;
  let said = '';
  for (;;) {
    const left = (await processesOfJob(processes, job)).filter(row => row.group === group);
    if (left.length === 0) return;
    const message = `Its first process has ended (${exitWords(exit)}); ${names(left)} of it go on.`;
    if (message !== said) await store.update(id, now => ({ ...now, message }));
    said = message;
    await pause(GROUP_MS);
  }
}

const names = (rows: readonly ProcessRow[]): string =>
  rows
    .slice(0, 3)
    .map(({ name, pid }) => `${name} (${pid})`)
    .join(', ');

const exitWords = ({ code, signal }: JobExit): string => signal ?? `code ${code ?? '?'}`;

async function end(
  store: JobStore,
  paths: JobPaths,
  id: string,
  exit: JobExit,
  why: string | null,
): Promise<void> {
  const endedMs = Date.now();
  const file: ExitFile = { ...exit, message: why, endedMs };
  await writeWhole(paths.exit, `${JSON.stringify(file)}\n`);
  const seen = { state: endOf(exit), message: why, startedMs: null, endedMs, exit, pids: [] };
  await store.update(id, now => settled(now, seen, Date.now()));
}

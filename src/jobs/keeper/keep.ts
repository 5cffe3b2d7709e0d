import { basename, dirname } from 'node:path';
import { visible } from '../../core/text/visible';
import { setTimeout as pause } from 'node:timers/promises';
import { endingOf } from '../ending';
import type { Ending } from '../ending';
import { readPiece, writeWhole, writeWholeAtLast } from '../files';
import { NO_GPUS } from '../gpuPort';
import type { SeenGpu } from '../../core/hardware/sight';
import type { GpuPort } from '../gpuPort';
import type { JobExit, JobPeak, JobRecord } from '../job';
import { tryLock } from '../lock';
import { measurementsOf } from '../measured';
import type { KeepMeasurement } from '../measured';
import { ASKED, endOf, NOT_BEGUN, readExitFile, readProcessFile } from '../processFile';
import type { ExitFile, ProcessFile } from '../processFile';
import { makeGroup, removeGroup } from '../processes/cgroup';
import { processesOf, processesOfJob } from '../processes/processes';
import type { JobProcess } from '../processes/processes';
import type { ProcessRow } from '../processes/process';
import { settled } from '../settle';
import { dropSpareEnd, keepSpareEnd } from '../spareEnd';
import type { Signal } from '../../core/signal';
import { reasonOf } from '../../core/text/errors';
import { JobStore } from '../store';
import type { JobPaths } from '../stateFolder';
import { LatestText } from './latestText';
import { memoryBack } from './memoryBack';
import { GpuWatch } from './gpuWatch';
import { waitForTurn } from './queue';
import { SampleLog } from './sampleLog';
import { spawnJob } from './spawnJob';

/** How often to check a group whose first process has ended. */
const GROUP_MS = 500;

/** Time for a stop to end the processes that the first one left behind. */
const SWEPT_MS = 30_000;

const processes = processesOf(process.platform);

/**
 * Runs one job: waits for its turn, starts it once, and records how it ended. It is a separate process that nothing
 * waits for; if it is killed, the job continues. `openGpus` is called for jobs that need GPUs. `asked` is aborted
 * once the keeper was told to stop the job, whatever the record says.
 */
export async function keep(
  folder: string,
  openGpus: () => Promise<GpuPort>,
  keepMeasurement: KeepMeasurement,
  stopSignal: Signal,
): Promise<void> {
  const store = new JobStore(dirname(dirname(folder)));
  const id = basename(folder);
  const paths = store.paths(id);
  const release = await tryLock(paths.keeper);
  // Another keeper has it, or had it: a job starts only once.
  if (!release) return;
  try {
    const begun = (await readExitFile(paths.exit)) ?? (await readProcessFile(paths.process));
    const record = await store.read(id);
    if (begun !== null || record === null) return;
    const port = record.gpus.count > 0 ? await openGpus() : NO_GPUS;
    try {
      await run({ store, id, paths, port, keepMeasurement, stopSignal });
    } finally {
      port.dispose();
    }
  } finally {
    await release();
  }
}

/** A job and its keeper's resources. */
interface Kept {
  readonly store: JobStore;
  readonly id: string;
  readonly paths: JobPaths;
  readonly port: GpuPort;
  readonly keepMeasurement: KeepMeasurement;
  readonly stopSignal: Signal;
}

async function run(kept: Kept): Promise<void> {
  const turn = await waitForTurn(kept.store, kept.id, kept.port, processes, kept.stopSignal);
  if (turn.kind === 'stopped') {
    await end(kept, { code: null, signal: null, reason: NOT_BEGUN }, null);
    return;
  }
  if (turn.kind === 'never') {
    await end(kept, NOT_STARTED, turn.why);
    return;
  }
  const record = await kept.store.read(kept.id);
  if (record) await start(kept, record, turn.gpus ?? []);
}

const NOT_STARTED: JobExit = { code: null, signal: null, reason: 'not started' };

async function start(kept: Kept, record: JobRecord, gpus: readonly SeenGpu[]): Promise<void> {
  const { store, id, paths } = kept;
  const startedMs = Date.now();
  // This file announces that the process may exist.
  const none = { pid: null, start: null, group: null, cgroup: null, ended: null };
  await writeWhole(paths.process, textOf({ ...none, startedMs }));
  const cgroup = makeGroup(id);
  const spawned = await spawnJob(record, gpus, paths.output, cgroup);
  if (!spawned.ok) {
    if (cgroup !== null) await removeGroup(cgroup, 0);
    await end(kept, NOT_STARTED, spawned.why);
    return;
  }
  const { pid, ended } = spawned;
  const began = (await processes.of(pid))?.start ?? null;
  const group = process.platform === 'win32' ? null : pid;
  // The job already runs, so a full disk must not keep its keeper from following it.
  const file: ProcessFile = { pid, start: began, group, cgroup, startedMs, ended: null };
  const known = new LatestText(paths.process);
  await known.write(textOf(file));
  await store.update(id, now => settled(now, runningSince(startedMs), Date.now())).catch(() => null);
  const log = new SampleLog(paths.samples);
  const watch = new GpuWatch({
    id,
    given: gpus.map(({ uuid }) => uuid),
    port: kept.port,
    processes,
    onPeak: peak => void keepPeak(kept, peak),
    onSample: sample => log.add(sample),
  });
  const exit = await ended;
  // The rest may take long, and this keeper may be killed meanwhile.
  await known.write(textOf({ ...file, ended: { ...exit, message: null, endedMs: Date.now() } }));
  await groupGone(store, { id, pid, start: began, group }, exit);
  const peak = await watch.end();
  // A full disk may cost samples, but not the job's end.
  await log.end().catch(() => undefined);
  await finish(kept, record, exit, peak, gpus);
  known.end();
  if (cgroup !== null) await removeGroup(cgroup, kept.stopSignal.aborted ? SWEPT_MS : 0);
}

/** A record that cannot be written now is written at the end. */
const keepPeak = ({ store, id }: Kept, peak: JobPeak): Promise<unknown> =>
  store.update(id, now => ({ ...now, peaks: [peak] })).catch(() => null);

const textOf = (file: ProcessFile | ExitFile): string => `${JSON.stringify(file)}\n`;

const runningSince = (startedMs: number) => ({
  state: 'running' as const,
  message: null,
  startedMs,
  endedMs: null,
  exit: null,
});

/** A script may end before its background processes. */
async function groupGone(store: JobStore, job: JobProcess, exit: JobExit): Promise<void> {
  const { id, group } = job;
  if (group === null) return;
  let lastMessage = '';
  for (;;) {
    const left = (await processesOfJob(processes, job)).filter(row => row.group === group);
    if (left.length === 0) return;
    const message = `Its first process has ended (${exitWords(exit)}); ${names(left)} still run.`;
    if (message !== lastMessage) await store.update(id, now => ({ ...now, message })).catch(() => null);
    lastMessage = message;
    await pause(GROUP_MS);
  }
}

const names = (rows: readonly ProcessRow[]): string =>
  rows
    .slice(0, 3)
    .map(({ name, pid }) => `${name} (${pid})`)
    .join(', ');

const exitWords = ({ code, signal }: JobExit): string => signal ?? `code ${code ?? '?'}`;

/**
 * Stores all facts of a finished run, then its measurement, then its end, so that a reader of the end finds
 * everything.
 */
async function finish(
  kept: Kept,
  begun: JobRecord,
  exit: JobExit,
  seen: JobPeak | null,
  gpus: readonly SeenGpu[],
): Promise<void> {
  const { store, id, paths, port } = kept;
  // The folder may have been moved meanwhile; the end is still recorded.
  const record = (await store.read(id)) ?? begun;
  const isStopping = record.state === 'stopping' || (kept.stopSignal.aborted && exit.code !== 0);
  const ending = await endingOf(record, offset => readPiece(paths.output, offset), exit);
  const peaks = [...(seen ? [seen] : []), ...ending.peaks];
  await store.update(id, now => ({ ...now, peaks })).catch(() => null);
  const back = isStopping ? await memoryBack(id, gpus, seen, port, processes) : null;
  await measure(kept, { ...record, peaks }, exit, ending, gpus[0]?.name ?? null);
  const lacksReason = isStopping && record.state !== 'stopping' && exit.reason === null;
  await end(kept, lacksReason ? { ...exit, reason: ASKED } : exit, isStopping ? back : ending.message);
}

/** A failure to store a measurement is logged; the end is still recorded. */
async function measure(
  { keepMeasurement }: Kept,
  record: JobRecord,
  exit: JobExit,
  ending: Ending,
  gpu: string | null,
): Promise<void> {
  try {
    const over = settled(record, endSeen(exit, null), Date.now());
    const file = record.measuredIn ?? null;
    for (const one of measurementsOf(over, ending, gpu)) await keepMeasurement(one, file);
  } catch (error) {
    process.stderr.write(`${visible(`Couldn't store the measurement: ${String(error)}`)}\n`);
  }
}

const endSeen = (exit: JobExit, message: string | null) => {
  return { state: endOf(exit), message, startedMs: null, endedMs: Date.now(), exit };
};

async function end({ store, paths, id }: Kept, exit: JobExit, why: string | null): Promise<void> {
  const seen = endSeen(exit, why);
  const file: ExitFile = { ...exit, message: why, endedMs: seen.endedMs };
  try {
    await writeWhole(paths.exit, textOf(file));
  } catch (error) {
    const isKept = await keepSpareEnd(id, textOf(file));
    const where = isKept
      ? 'It is kept in the folder for temporary files meanwhile.'
      : 'It is kept nowhere else.';
    const warning = `Couldn't write how it ended; trying again: ${reasonOf(error)} ${where}`;
    process.stderr.write(`${visible(warning)}\n`);
    await writeWholeAtLast(paths.exit, textOf(file));
  }
  await store.update(id, now => settled(now, seen, Date.now()));
  await dropSpareEnd(id);
}

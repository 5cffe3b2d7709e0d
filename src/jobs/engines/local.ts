import { spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { boundedText } from '../../files/bounded';
import { JobError } from '../engine';
import type { JobEngine, JobSighting, OutputPiece, StopRung } from '../engine';
import type { EngineMaker, EngineRoom } from '../engineMaker';
import { readJson, readPiece } from '../files';
import type { JobRecord, JobRequest } from '../job';
import { compete } from '../keeper/choose';
import { ownerIn } from '../lock';
import { endOf, readExitFile, readProcessFile } from '../processFile';
import type { ExitFile, ProcessFile } from '../processFile';
import { isAlive, JOB_MARK, processesOf, processesOfJob } from '../processes/processes';
import type { JobProcess, KnownProcess } from '../processes/processes';
import { signalJob } from '../processes/signals';
import { samplesIn } from '../samples';
import { readSpareEnd } from '../spareEnd';
import type { JobSample } from '../samples';
import { jobPaths } from '../stateFolder';
import type { JobPaths } from '../stateFolder';
import { JobStore } from '../store';
import type { Signal } from '../../core/signal';
import { phrase } from '../../core/text/say';

/** A keeper that has not appeared by then will not. */
const KEEPER_MS = 20_000;
const LOOK_MS = 20;
/** Samples of a job of months. */
const MOST_SAMPLES_BYTES = 256 * 1024 * 1024;
/** The keeper of a younger record may still be starting. */
const YOUNG_MS = KEEPER_MS;
/**
 * After this, a process that was being created when its keeper was killed carries the job's mark; until then the
 * job does not count as lost.
 */
const MADE_MS = 500;

const processes = processesOf(process.platform);

/** Jobs on this machine: each has a keeper, a separate process that outlives the one that started it. */
class LocalEngine implements JobEngine {
  readonly id = 'local';

  constructor(private readonly room: EngineRoom) {}

  async plan({ gpus }: JobRequest): Promise<readonly string[]> {
    const all = gpus.count === 0 ? [] : await new JobStore(this.room.state).all();
    const before = all.filter(
      one => one.state === 'queued' && one.place.engine === 'local' && compete(one.gpus, gpus),
    );
    const names = before.map(({ name, id }) => `${name} (${id.slice(-6)})`).join(', ');
    return [
      phrase`Keeps running after you close VS Code or the terminal.`,
      ...(before.length === 0 ? [] : [phrase`Runs after ${names}.`]),
    ];
  }

  async start(
    record: JobRecord,
    secrets: Readonly<Record<string, string>>,
    note: (handle: NonNullable<JobRecord['handle']>) => Promise<void>,
    signal: Signal,
  ): Promise<NonNullable<JobRecord['handle']>> {
    if (signal.aborted) throw new JobError('refused', 'It was canceled before it started.');
    const paths = this.paths(record);
    const keeper = await this.startKeeper(paths, secrets);
    await keeper.shown;
    const handle = { keeper: keeper.pid };
    await note(handle);
    return handle;
  }

  async look(record: JobRecord): Promise<JobSighting> {
    const seen = await this.lookOnce(record);
    if (seen.state !== 'lost') return seen;
    await pause(MADE_MS);
    return this.lookOnce(record);
  }

  private async lookOnce(record: JobRecord): Promise<JobSighting> {
    const paths = this.paths(record);
    const ended = await endIn(record, paths);
    if (ended) return finalSighting(ended, await readProcessFile(paths.process));
    const job = await readProcessFile(paths.process);
    if (job && (await this.isRunning(record, job))) return running(job);
    return this.withoutProcess(record, paths, job);
  }

  read(record: JobRecord, offset: number): Promise<OutputPiece> {
    return readPiece(this.paths(record).output, offset);
  }

  async samples(record: JobRecord): Promise<readonly JobSample[]> {
    // A job without GPUs has no such file.
    const text = (await boundedText(this.paths(record).samples, MOST_SAMPLES_BYTES)) ?? '';
    return samplesIn(text);
  }

  async stop(record: JobRecord, rung: StopRung): Promise<void> {
    const paths = this.paths(record);
    // Signal the keeper too, because the record may be on a full disk.
    const keeper = ownerIn(await readJson(paths.keeper));
    if (keeper && process.platform !== 'win32' && (await isAlive(processes, keeper))) {
      signalKeeper(keeper.pid);
    }
    const job = await this.jobIn(record);
    if (job) await signalJob(processes, job, rung);
  }

  async leftOf(record: JobRecord): Promise<number | null> {
    const job = await this.jobIn(record);
    // A process also exists between its creation and its mark; its pid may be long in coming on a full disk.
    const isBeingMade = job?.pid === null && Date.now() - job.startedMs < MADE_MS;
    return job === null || isBeingMade ? null : (await processesOfJob(processes, job)).length;
  }

  /** What is known about its processes; null before there are any. */
  private async jobIn({ id }: JobRecord): Promise<(JobProcess & ProcessFile) | null> {
    const paths = jobPaths(this.room.state, id);
    const file = await readProcessFile(paths.process);
    return file && { ...file, id, output: paths.output };
  }

  private paths({ id }: JobRecord): JobPaths {
    return jobPaths(this.room.state, id);
  }

  private async startKeeper(paths: JobPaths, secrets: Readonly<Record<string, string>>) {
    const log = await open(join(paths.folder, 'keeper.log'), 'a', 0o600);
    try {
      const child = spawn(process.execPath, [this.room.keeper, paths.folder], {
        cwd: paths.folder,
        detached: true,
        windowsHide: true,
        stdio: ['ignore', 'ignore', log.fd],
        env: keeperEnvironment(this.room.executables, secrets),
      });
      let gone = false;
      child.once('error', () => (gone = true));
      child.once('exit', () => (gone = true));
      child.unref();
      return { pid: child.pid ?? null, shown: waitForKeeper(paths, () => gone) };
    } finally {
      await log.close();
    }
  }

  /** Checking only the first process is fast; without it, its descendants count. */
  private async isRunning({ id }: JobRecord, job: ProcessFile): Promise<boolean> {
    const first = known(job);
    if (first !== null && (await isAlive(processes, first))) return true;
    const { output } = jobPaths(this.room.state, id);
    return (await processesOfJob(processes, { ...job, id, output })).length > 0;
  }

  private async withoutProcess(record: JobRecord, paths: JobPaths, job: ProcessFile | null) {
    const keeper = ownerIn(await readJson(paths.keeper));
    const isKept = keeper !== null && (await isAlive(processes, keeper));
    // The end may have been written between the two checks.
    const ended = await endIn(record, paths);
    if (ended) return finalSighting(ended, job);
    const youngMs = this.room.startLimitMs ?? YOUNG_MS;
    const isYoung = Date.now() - record.createdMs < youngMs && keeper === null;
    if (isKept || isYoung) return { ...EMPTY_SIGHTING, state: record.state, message: record.message };
    // Its keeper was killed after the first process had ended.
    const known = (await readProcessFile(paths.process))?.ended ?? null;
    if (known) return finalSighting(known, job);
    return { ...EMPTY_SIGHTING, state: 'lost' as const, message: job ? LOST : NEVER };
  }
}

/** How the job ended, from either place where its keeper could write it. */
const endIn = async ({ id }: JobRecord, { exit }: JobPaths): Promise<ExitFile | null> =>
  (await readExitFile(exit)) ?? (await readSpareEnd(id));

function signalKeeper(keeper: number): void {
  try {
    process.kill(keeper, 'SIGTERM');
  } catch {
    // It ended by itself meanwhile.
  }
}

export const local: EngineMaker = room => new LocalEngine(room);

const EMPTY_SIGHTING = { message: null, startedMs: null, endedMs: null, exit: null };

const LOST = phrase`Lost track of the job: the machine restarted, or its monitor was killed.`;
const NEVER = phrase`It never started: its monitor was killed first.`;

const known = ({ pid, start }: ProcessFile): KnownProcess | null =>
  pid === null || start === null ? null : { pid, start };

const running = ({ startedMs }: ProcessFile): JobSighting => ({
  ...EMPTY_SIGHTING,
  state: 'running',
  startedMs,
});

function finalSighting({ endedMs, message, ...exit }: ExitFile, job: ProcessFile | null): JobSighting {
  return { ...EMPTY_SIGHTING, state: endOf(exit), message, startedMs: job?.startedMs ?? null, endedMs, exit };
}

/** Waits until the keeper has the job, or a short job has already ended. */
async function waitForKeeper(paths: JobPaths, hasEnded: () => boolean): Promise<void> {
  const endMs = Date.now() + KEEPER_MS;
  while (Date.now() < endMs) {
    if (await readJson(paths.keeper)) return;
    if ((await readExitFile(paths.exit)) ?? (await readProcessFile(paths.process))) return;
    if (hasEnded()) break;
    await pause(LOOK_MS);
  }
  throw new JobError('refused', `The job monitor did not start. See ${paths.folder}.`);
}

/** Editors run Node inside themselves, and a job that starts another job must not pass on its mark. */
function keeperEnvironment(
  executables: Readonly<Record<string, string>>,
  secrets: Readonly<Record<string, string>>,
): NodeJS.ProcessEnv {
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => name !== JOB_MARK));
  const asNode = process.versions['electron'] === undefined ? {} : { ELECTRON_RUN_AS_NODE: '1' };
  return { ...environment, ...secrets, ...asNode, HEADROOM_KEEPER_TOOLS: JSON.stringify(executables) };
}

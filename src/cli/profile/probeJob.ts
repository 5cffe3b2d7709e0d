import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { JobError } from '../../jobs/engine';
import { NO_LIMITS, placeName } from '../../jobs/job';
import type { JobPlace, JobRecord, JobRequest } from '../../jobs/job';
import type { Jobs } from '../../jobs/jobs';
import { isFinal } from '../../jobs/settle';
import { ProfileError } from '../../profile/answers';
import { placeOf } from '../jobs/place';
import type { PlaceChoice } from '../jobs/place';
import { BadInput } from '../output';
import { interpreterFor } from './interpreter';
import type { Stage } from './stage';
import { NEVER } from '../../core/signal';
import type { Signal } from '../../core/signal';

/** Reads what a script writes; `found`: its answer, `problem`: why there is none. Both are null until they came. */
interface Reader {
  readonly found: object | null;
  readonly problem: ProfileError | null;
  push(text: string): void;
}

/** The job to start, and how to report on it. */
interface ProbeJob<R extends Reader> {
  readonly reader: R;
  readonly stage: Stage;
  readonly request: JobRequest;
  /** If no GPU is free, it waits as long as necessary. */
  readonly queue: boolean;
  readonly progress: (text: string) => void;
}

/** A file that replaces CUDA with another device, for tests and for hardware that torch does not call CUDA. */
const DEVICE = 'HEADROOM_PROBE_DEVICE';

export function deviceFile(): string | null {
  const file = process.env[DEVICE];
  if (file === undefined || file === '') return null;
  if (!existsSync(file)) throw new BadInput(`${DEVICE} is set to ${file}, which does not exist.`);
  return resolve(file);
}

/** The GPUs of a probe: one, or a stand-in for it. */
export const probeGpus = (): number => (deviceFile() === null ? 1 : 0);

/** The job of a staged script. `folder`: where the Python of this machine is looked for. */
export async function probeRequestOf(
  name: string,
  staged: Stage,
  folder: string,
  options: PlaceChoice & { readonly python?: string; readonly time?: number },
  gpus = probeGpus(),
): Promise<JobRequest> {
  const place = placeOf(options);
  const python =
    place.engine === 'local'
      ? (await interpreterFor(folder, options.python)).executable
      : (options.python ?? 'python3');
  return {
    kind: 'profile',
    name,
    config: null,
    argv: [python, staged.script, staged.request],
    folder: staged.folder,
    environment: {},
    secrets: [],
    // The files are in the job's own folder, wherever the code is.
    place: withoutFolder(place),
    gpus: { count: gpus, uuids: [], needBytes: null },
    limits: { ...NO_LIMITS, timeMinutes: options.time ?? null },
    estimate: null,
    writes: [],
  };
}

function withoutFolder(place: JobPlace): JobPlace {
  if (place.engine === 'ssh') return { ...place, folder: null };
  if (place.engine !== 'slurm') return place;
  const { engine, alias, partition } = place;
  return { engine, alias, partition };
}

const LOOK_MS = 300;
const REMOTE_LOOK_MS = 2000;
/** A host may be away for this long, as when a laptop changes its network. */
const MOST_AWAY_MS = 120_000;

/** Starts a probe as a job, reads it to its end, and removes it from where it ran. */
export async function runProbe<R extends Reader>(
  jobs: Jobs,
  { stage, request, ...job }: ProbeJob<R>,
  signal: Signal,
): Promise<JobRecord> {
  try {
    const start = jobs.start(request, {}, signal);
    const { id } = await start.catch((error: unknown) => notStarted(jobs, request, error));
    const record = await new Followed(jobs, id, job).toItsEnd(signal);
    // Its output was read, so it is removed here and there.
    if (isTold(job.reader, record)) await removed(jobs, id);
    return record;
  } finally {
    await rm(stage.folder, { recursive: true, force: true });
  }
}

/** The code with which a shell says that there is no such program. */
const NO_PROGRAM = 127;

const hasNoProgram = ({ exit }: JobRecord): boolean => exit?.code === NO_PROGRAM;

/** The user gets an answer, or why there is none; otherwise they need the job's output. */
const isTold = ({ found, problem }: Reader, record: JobRecord): boolean =>
  found !== null || problem !== null || record.message !== null || hasNoProgram(record);

/** Why a job that is over has no answer. */
export function whyNoAnswer(record: JobRecord, what: string): string {
  const { id, argv, message } = record;
  if (hasNoProgram(record)) return noPython(argv);
  return message ?? `The ${what} ended without an answer. Its output: headroom logs ${id}.`;
}

const noPython = ([python = '']: readonly string[]): string =>
  `${python} was not found there. Name a Python of that machine with --python.`;

/** What may be left of a start; where nobody answers, there is nobody to ask. */
async function notStarted(jobs: Jobs, { argv }: JobRequest, error: unknown): Promise<never> {
  if (!(error instanceof JobError)) throw error;
  if (error.job !== null && error.kind !== 'unreachable') await removed(jobs, error.job);
  if (error.kind !== 'no-program') throw error;
  throw new ProfileError('python', noPython(argv));
}

const removed = (jobs: Jobs, id: string): Promise<void> => jobs.clean(id, true, NEVER).catch(() => undefined);

/** A started job whose output is read. */
class Followed {
  private readonly decoder = new TextDecoder();
  private offset = 0;
  private said: string | null = null;
  private awayMs: number | null = null;

  constructor(
    private readonly jobs: Jobs,
    private readonly id: string,
    private readonly of: Pick<ProbeJob<Reader>, 'reader' | 'queue' | 'progress'>,
  ) {}

  async toItsEnd(signal: Signal): Promise<JobRecord> {
    for (;;) {
      const record = await this.jobs.get(this.id);
      if (!record) throw new ProfileError('failed', `${this.id}: the job is gone.`);
      await this.read();
      if (isFinal(record) && this.awayMs === null) return record;
      if (signal.aborted) await this.ended('aborted', 'It was canceled.');
      if (!this.of.queue && isWaiting(record)) {
        await this.ended('cannot', `It ${record.message ?? 'waits'}. Add --queue to wait for its turn.`);
      }
      this.tell(record);
      await pause(isLocal(record.place) ? LOOK_MS : REMOTE_LOOK_MS);
    }
  }

  /** Reads what is new; a host that does not answer gets time to come back. */
  private async read(): Promise<void> {
    try {
      for (;;) {
        const piece = await this.jobs.output(this.id, this.offset, NEVER);
        this.awayMs = null;
        if (piece.bytes.length === 0) return;
        this.offset = piece.offset + piece.bytes.length;
        this.of.reader.push(this.decoder.decode(piece.bytes, { stream: true }));
      }
    } catch (error) {
      this.awayMs ??= Date.now();
      const isAway = error instanceof JobError && error.kind === 'unreachable';
      if (!isAway || Date.now() - this.awayMs > MOST_AWAY_MS) throw error;
    }
  }

  /** The scheduler's reason while the job waits, once. */
  private tell({ state, message, place }: JobRecord): void {
    if (isLocal(place) || state !== 'queued' || message === this.said) return;
    this.said = message;
    this.of.progress(`Waits in ${placeName(place)}${message === null ? '' : `: ${message}`}`);
  }

  private async ended(kind: 'aborted' | 'cannot', why: string): Promise<never> {
    await this.jobs.stop(this.id, NEVER);
    await removed(this.jobs, this.id);
    throw new ProfileError(kind, why);
  }
}

const isLocal = ({ engine }: JobPlace): boolean => engine === 'local';

/** A local job gets its GPUs immediately, or waits for others; a scheduler's queue does not count. */
const isWaiting = ({ state, waits }: JobRecord): boolean => state === 'queued' && Boolean(waits);

import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { NO_LIMITS } from '../../jobs/job';
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

/** Reads what a probe writes; `found`: its answer, null until it came. */
interface Reader {
  readonly found: object | null;
  push(text: string): void;
}

/** The job to start, and how to report on it. */
interface ProbeJob<R extends Reader> {
  readonly reader: R;
  readonly stage: Stage;
  readonly request: JobRequest;
  /** If no GPU is free, it waits as long as necessary. */
  readonly queue: boolean;
}

/** A file that replaces CUDA with another device, for tests and for hardware that torch does not call CUDA. */
const DEVICE = 'HEADROOM_PROBE_DEVICE';

export function deviceFile(): string | null {
  const file = process.env[DEVICE];
  if (file === undefined || file === '') return null;
  if (!existsSync(file)) throw new BadInput(`${DEVICE} is set to ${file}, which does not exist.`);
  return resolve(file);
}

/** The job of a staged script on one GPU. `folder`: where the Python of this machine is looked for. */
export async function probeRequestOf(
  name: string,
  staged: Stage,
  folder: string,
  options: PlaceChoice & { readonly python?: string; readonly time?: number },
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
    gpus: { count: deviceFile() === null ? 1 : 0, uuids: [], needBytes: null },
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

/** Starts a probe as a job, reads it to its end, and removes it from where it ran. */
export async function runProbe<R extends Reader>(
  jobs: Jobs,
  { stage, request, reader, queue }: ProbeJob<R>,
  signal: { readonly aborted: boolean },
): Promise<JobRecord> {
  try {
    const { id } = await jobs.start(request, {}, NEVER);
    const record = await followProbe(jobs, id, reader, queue, signal);
    // Its output was read, so it is removed here and there.
    if (reader.found) await jobs.clean(id, true, NEVER).catch(() => undefined);
    return record;
  } finally {
    await rm(stage.folder, { recursive: true, force: true });
  }
}

async function followProbe(
  jobs: Jobs,
  id: string,
  reader: Reader,
  queue: boolean,
  signal: { readonly aborted: boolean },
): Promise<JobRecord> {
  const decoder = new TextDecoder();
  for (let offset = 0; ;) {
    const record = await jobs.get(id);
    if (!record) throw new ProfileError('failed', `${id}: the job is gone.`);
    for (;;) {
      const piece = await jobs.output(id, offset, NEVER);
      if (piece.bytes.length === 0) break;
      offset = piece.offset + piece.bytes.length;
      reader.push(decoder.decode(piece.bytes, { stream: true }));
    }
    if (isFinal(record)) return record;
    if (signal.aborted) {
      await jobs.stop(id, NEVER);
      throw new ProfileError('aborted', 'It was canceled.');
    }
    if (!queue && waits(record)) {
      await jobs.stop(id, NEVER);
      throw new ProfileError('cannot', `It ${record.message ?? 'waits'}. Add --queue to wait for its turn.`);
    }
    await pause(isLocal(record.place) ? LOOK_MS : REMOTE_LOOK_MS);
  }
}

const isLocal = ({ engine }: JobPlace): boolean => engine === 'local';

/** A local job gets its GPUs immediately, or waits for others; a scheduler's queue does not count. */
const waits = ({ place, state, message }: JobRecord): boolean =>
  isLocal(place) && state === 'queued' && (message?.startsWith('waits') ?? false);

import { oneLine, quotedText } from '../../remote/words';
import { chooseFiles } from '../copy/choose';
import { copyLines, refuseTooMuch } from '../copy/lines';
import { counted } from '../../core/units';
import { JobError, unseen } from '../engine';
import type { JobEngine, JobSighting, OutputPiece } from '../engine';
import { MOST_PACKAGE_BYTES } from '../engineMaker';
import type { EngineMaker } from '../engineMaker';
import type { JobRecord, JobRequest, JobState } from '../job';
import { RayAway, RayDashboard } from '../ray/dashboard';
import type { RayJob } from '../ray/dashboard';
import type { RayNode } from '../../remote/rayNodes';
import type { JobSample } from '../samples';
import { remoteArgv } from '../remote/host';
import { exitOf } from '../remote/sighting';
import { isCutOff } from '../lock';
import { samplesOf } from '../remote/watched';
import type { Signal } from '../../core/signal';
import { scriptOf } from '../../remote/script';
import { startWatch, WATCH } from '../remote/watchScript';
import watchSh from '../ray/watch.sh';

/** Added to the package of a job with GPUs. */
const WATCH_FILE = '.headroom-watch.sh';

/** The samples file that the watch writes to the logs of the job's node. */
const samplesFile = (id: string): string => `headroom-samples-${id}`;

/**
 * Runs a command with a GPU watch next to it. The watch writes to the node's log folder, whose files Ray's
 * dashboard serves, and the job's output is its log: no other access to the node is needed.
 */
const WATCH_SCRIPT = scriptOf(watchSh, {
  START_WATCH: startWatch(`'${WATCH}'`, `"\${log%/*}/${samplesFile('$HEADROOM_JOB')}"`),
});

interface RayEngineRoom {
  /** Dashboards in the user's own settings. */
  readonly ownAddresses: () => readonly string[];
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly mostCopyBytes: number;
  readonly now: () => number;
  readonly startLimitMs?: number | undefined;
  /** Reports why something takes a while. */
  readonly say?: (sentence: string) => void;
}

const STATES: Readonly<Record<string, JobState>> = {
  PENDING: 'queued',
  RUNNING: 'running',
  STOPPED: 'stopped',
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
};

/** Jobs of a Ray cluster, through its dashboard. */
export class RayEngine implements JobEngine {
  readonly id = 'ray';

  constructor(private readonly room: RayEngineRoom) {}

  async plan(request: JobRequest): Promise<readonly string[]> {
    const address = addressOf(request);
    await this.with(request, ray => fitting(ray, request, this.room));
    const choice = await chooseFiles(request.folder);
    const { count } = request.gpus;
    const gpus = count === 0 ? 'no GPU' : count === 1 ? 'one GPU' : `${count} GPUs on one node`;
    const names = request.secrets.join(', ');
    return [
      `Submits a job to Ray at ${address}, with ${gpus}.`,
      ...copyLines(choice, 'a package on the cluster', this.room.mostCopyBytes),
      'Ray deletes the copy with the cluster. Write results to a persistent path.',
      ...(names === ''
        ? []
        : [
            `Not passed on: ${names}. Ray shows job variables on its dashboard; set them where the cluster starts.`,
          ]),
    ];
  }

  start(
    record: JobRecord,
    _: Readonly<Record<string, string>>,
    note: (handle: NonNullable<JobRecord['handle']>) => Promise<void>,
    signal: Signal,
  ): Promise<NonNullable<JobRecord['handle']>> {
    return this.with(record, async ray => {
      const nodes = await fitting(ray, record, this.room);
      const choice = await chooseFiles(record.folder);
      refuseTooMuch(choice, this.room.mostCopyBytes);
      const session = await ray.session();
      const { rayPackage } = await import('../ray/package');
      const isWatched = record.gpus.count > 0;
      const { name, bytes } = await rayPackage(
        choice,
        this.room.mostCopyBytes,
        isWatched ? { [WATCH_FILE]: WATCH_SCRIPT } : {},
      );
      const folder = await ray.upload(name, bytes);
      if (signal.aborted) throw new JobError('refused', 'It was canceled before it was submitted.');
      const handle = { submission: `headroom-${record.id}`, session, notedMs: this.room.now() };
      await note({ ...handle, submitted: 0 });
      await submitted(ray, record, { id: handle.submission, folder, nodes });
      return { ...handle, submitted: 1 };
    });
  }

  look(record: JobRecord): Promise<JobSighting> {
    return this.with(record, async ray => {
      const job = await ray.job(submissionOf(record));
      if (job !== null) return sighting(job);
      const session = await ray.session();
      return missing(record, session, await isCutOff(record, this.room.now(), this.room.startLimitMs));
    });
  }

  read(record: JobRecord, offset: number): Promise<OutputPiece> {
    return this.with(record, async ray => {
      const log = await ray.log(submissionOf(record));
      return { offset, bytes: log.subarray(offset) };
    });
  }

  samples(record: JobRecord): Promise<readonly JobSample[]> {
    return this.with(record, async ray => {
      const node = record.machines?.['0'] ?? (await ray.job(submissionOf(record)))?.node ?? null;
      const text = node === null ? null : await ray.logFile(node, samplesFile(record.id));
      return text === null ? [] : samplesOf(text, record);
    });
  }

  /** Ray's only way to stop: SIGTERM to the group, and SIGKILL three seconds later. */
  stop(record: JobRecord): Promise<void> {
    return this.with(record, ray => ray.stop(submissionOf(record)));
  }

  clean(record: JobRecord): Promise<void> {
    return this.with(record, ray => ray.forget(submissionOf(record)));
  }

  private async with<T>(request: JobRequest, act: (ray: RayDashboard) => Promise<T>): Promise<T> {
    const ray = RayDashboard.at(addressOf(request), this.room.variables, this.room.ownAddresses());
    try {
      return await act(ray);
    } finally {
      ray.close();
    }
  }
}

/** A new node reports its GPUs with a delay of some seconds. */
const YOUNG_MS = 60_000;
const COUNTING_MS = 30_000;
const TURN_MS = 1000;

/** The nodes that can run a job. Ray would let a job that none can run wait forever. */
async function fitting(
  ray: RayDashboard,
  { gpus, limits }: JobRequest,
  room: RayEngineRoom,
): Promise<readonly RayNode[]> {
  if (limits.array !== null) {
    throw new JobError('refused', 'Ray has no job arrays: each part is a separate job.');
  }
  const endMs = room.now() + COUNTING_MS;
  for (let turn = 0; ; turn++) {
    const nodes = await ray.nodes();
    const most = Math.max(0, ...nodes.map(node => node.gpus));
    if (gpus.count <= most) return nodes.filter(node => node.gpus >= gpus.count);
    // At first the list of nodes lacks even the head.
    const counts = nodes.length === 0 || nodes.some(node => node.gpus === 0 && isYoung(node, room.now()));
    if (!counts || room.now() > endMs) {
      const has = most === 0 ? 'none has a GPU' : `the largest has ${most}`;
      throw new JobError('refused', `No node of this Ray cluster has ${counted(gpus.count, 'GPU')}; ${has}.`);
    }
    if (turn === 0) {
      room.say?.('The Ray cluster just started and is detecting its GPUs. Waiting up to 30 s.');
    }
    await new Promise(resolve => setTimeout(resolve, TURN_MS));
  }
}

/** The clocks may differ by some seconds, in either direction. */
const isYoung = ({ startMs }: RayNode, nowMs: number): boolean =>
  startMs !== null && Math.abs(nowMs - startMs) < YOUNG_MS;

/** Submitting is idempotent: a job id exists only once. */
async function submitted(
  ray: RayDashboard,
  record: JobRecord,
  { id, folder, nodes }: { readonly id: string; readonly folder: string; readonly nodes: readonly RayNode[] },
): Promise<void> {
  const { gpus, limits } = record;
  const elsewhere = elsewhereOf(limits.avoid ?? [], nodes);
  const variables = Object.entries(record.environment).map(([name, value]) => `${name}=${value}`);
  // Ray expands `$NAME` in env_vars; `env` passes the values unchanged.
  const given = variables.length === 0 ? [] : ['env', ...variables];
  const watch = gpus.count === 0 ? [] : ['sh', WATCH_FILE];
  const submission = {
    // Ray passes it to a shell.
    entrypoint: [...given, ...watch, ...remoteArgv(record.argv, record.folder)].map(wordOf).join(' '),
    submission_id: id,
    metadata: { headroom: record.id },
    runtime_env: { working_dir: folder, env_vars: { HEADROOM_JOB: record.id } },
    entrypoint_num_gpus: gpus.count,
    ...(limits.cpus === null ? {} : { entrypoint_num_cpus: limits.cpus }),
    ...(limits.memoryMiB === null ? {} : { entrypoint_memory: limits.memoryMiB * 2 ** 20 }),
    ...(elsewhere && { entrypoint_label_selector: elsewhere }),
  };
  try {
    await ray.submit(submission);
  } catch (error) {
    // The request may have arrived although the answer did not; submitting again is safe.
    if (!(error instanceof RayAway)) throw error;
    await ray.submit(submission);
  }
}

/** Every node has its id as a label. Null if there is nothing to avoid, or no other node. */
function elsewhereOf(
  avoid: readonly string[],
  nodes: readonly RayNode[],
): Readonly<Record<string, string>> | null {
  const avoided = nodes.map(({ id }) => id).filter(id => avoid.includes(id));
  if (avoided.length === 0 || avoided.length === nodes.length) return null;
  return { 'ray.io/node-id': `!in(${avoided.join(', ')})` };
}

function wordOf(word: string): string {
  const text = quotedText(word);
  if (text === null) {
    throw new JobError('refused', `Cannot send this argument of the command: ${JSON.stringify(word)}.`);
  }
  return text;
}

function sighting(job: RayJob): JobSighting {
  const state = STATES[job.status] ?? 'unknown';
  const isFailed = state === 'failed';
  const exit =
    job.exitCode === null && !isFailed
      ? null
      : { ...exitOf(job.exitCode ?? 1), code: job.exitCode, reason: job.errorType };
  // For a failed command Ray repeats the output, which is read separately.
  const isOwn = job.errorType === 'JOB_ENTRYPOINT_COMMAND_ERROR';
  const showsMessage = (isFailed && !isOwn) || state === 'queued';
  const message = showsMessage ? oneLine((job.message ?? '').split('\n')[0] ?? '') : null;
  const machines = job.node === null ? {} : { machines: { 0: job.node } };
  return { state, message, startedMs: job.startMs, endedMs: job.endMs, exit, ...machines };
}

/** Ray does not know the job: it was restarted, has forgotten it, or never received it. */
function missing(record: JobRecord, session: string | null, isOver: boolean): JobSighting {
  const known = record.handle?.['session'] ?? null;
  if (known !== null && session !== null && known !== session) {
    return unseen('lost', 'The Ray cluster was restarted and lost its jobs.');
  }
  if (record.handle?.['submitted'] === 1) {
    return unseen('lost', 'Ray no longer has this job: it was deleted.');
  }
  if (!isOver) return unseen('starting', 'Not submitted yet.');
  return unseen('failed', 'Its start was interrupted, and Ray never received it.');
}

function addressOf({ place }: JobRequest): string {
  if (place.engine !== 'ray') throw new JobError('bad-record', 'This job is not for Ray.');
  return place.address;
}

const submissionOf = (record: JobRecord): string => `headroom-${record.id}`;

export const ray: EngineMaker = room =>
  new RayEngine({
    variables: process.env,
    ownAddresses: room.rayAddresses ?? (() => []),
    mostCopyBytes: Math.min(room.mostCopyBytes ?? MOST_PACKAGE_BYTES, MOST_PACKAGE_BYTES),
    now: Date.now,
    startLimitMs: room.startLimitMs,
    ...(room.say && { say: room.say }),
  });

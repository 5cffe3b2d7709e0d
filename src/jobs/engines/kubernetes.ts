import { parsedJson, textIn, valueAt } from '../../core/text/json';
import { counted } from '../../core/units';
import type { HttpAnswer, HttpAsk, HttpQuestion } from '../../remote/http';
import type { OpenedKube } from '../../remote/kubeApi';
import { oneLine } from '../../remote/words';
import { JobError, unseen } from '../engine';
import type { JobEngine, JobSighting, OutputPiece, StopRung } from '../engine';
import type { EngineMaker } from '../engineMaker';
import type { JobRecord, JobRequest } from '../job';
import { CONTAINER, jobObject, LABEL, nameOf, placeOf } from '../kubernetes/jobObject';
import { newestPod, sightingOf } from '../kubernetes/sighting';
import { isCutOff } from '../lock';

type Handle = NonNullable<JobRecord['handle']>;

interface KubernetesRoom {
  readonly open: (context: string | null) => Promise<OpenedKube>;
  readonly now: () => number;
  readonly startLimitMs?: number | undefined;
}

const LIMIT_MS = 20_000;
const [OK, CREATED, NOT_FOUND, CONFLICT] = [200, 201, 404, 409];

/** A cluster's namespace, as it was chosen at the start. */
interface Cluster {
  readonly api: HttpAsk;
  readonly context: string;
  readonly namespace: string;
}

/** Jobs of a Kubernetes cluster (batch/v1), through the user's kubeconfig. */
export class KubernetesEngine implements JobEngine {
  readonly id = 'kubernetes';

  constructor(private readonly room: KubernetesRoom) {}

  async plan(request: JobRequest): Promise<readonly string[]> {
    const { image, folder, claim } = placeOf(request);
    if (request.limits.array !== null) {
      throw new JobError('refused', 'Headroom starts no indexed Jobs: each part is a separate job.');
    }
    return this.with(request, async ({ api, context, namespace }) => {
      // The server checks it, and keeps nothing.
      const json = jobObject(request, 'check');
      const path = `${jobsPath(namespace)}?dryRun=All`;
      refuseUnless(await api.ask({ method: 'POST', path, json }, LIMIT_MS), namespace, [CREATED]);
      const { count } = request.gpus;
      const gpus = count === 0 ? 'no GPU' : counted(count, 'GPU');
      const data = claim === null ? '' : `, with the claim ${claim}`;
      return [
        `Creates a Job in the namespace ${namespace} of ${context}, with ${gpus} on one node.`,
        `It runs in ${folder ?? 'the working folder'} of the image ${image}${data}. Nothing is copied.`,
        ...(request.secrets.length === 0
          ? []
          : [`Not passed on: ${request.secrets.join(', ')}. Who may read Jobs sees their variables.`]),
      ];
    });
  }

  start(
    record: JobRecord,
    _: Readonly<Record<string, string>>,
    note: (handle: Handle) => Promise<void>,
  ): Promise<Handle> {
    return this.with(record, async ({ api, context, namespace }) => {
      const handle = { context, namespace, uid: null, notedMs: this.room.now() };
      await note(handle);
      const question: HttpQuestion = {
        method: 'POST',
        path: jobsPath(namespace),
        json: jobObject(record, record.id),
      };
      const first = await api.ask(question, LIMIT_MS);
      // It may have arrived although the answer did not; a name exists only once.
      const answer = first.ok ? first : await api.ask(question, LIMIT_MS);
      refuseUnless(answer, namespace, [CREATED, CONFLICT]);
      const made = await jobIn({ api, context, namespace }, record.id);
      if (made === null || textIn(valueAt(made, 'metadata', 'labels', LABEL)) !== record.id) {
        throw new JobError('refused', `Another Job is named ${nameOf(record.id)}.`);
      }
      return { ...handle, uid: uidOf(made) };
    });
  }

  look(record: JobRecord): Promise<JobSighting> {
    return this.with(record, async cluster => {
      const job = await jobIn(cluster, record.id);
      const uid = record.handle?.['uid'] ?? null;
      if (job === null || (uid !== null && uid !== uidOf(job))) {
        const isOver = await isCutOff(record, this.room.now(), this.room.startLimitMs);
        return missing(record, isOver);
      }
      return sightingOf(job, await podOf(cluster, uidOf(job)));
    });
  }

  read(record: JobRecord, offset: number): Promise<OutputPiece> {
    return this.with(record, async cluster => {
      const pod = await podOf(cluster, textIn(record.handle?.['uid']));
      const name = textIn(valueAt(pod, 'metadata', 'name'));
      const nothing = { offset, bytes: new Uint8Array() };
      if (name === null) return nothing;
      const path = `${podsPath(cluster.namespace)}/${name}/log?container=${CONTAINER}`;
      const answer = await cluster.api.get(path, LIMIT_MS);
      // A container that has not started has no log.
      if (answer.ok && answer.status !== OK) return nothing;
      return { offset, bytes: Buffer.from(refuseUnless(answer, cluster.namespace, [OK])).subarray(offset) };
    });
  }

  /**
   * A suspended Job ends its pods, with SIGTERM and a time to write a checkpoint, and says so. The Job stays until it is
   * removed, its output doesn't.
   */
  stop(record: JobRecord, rung: StopRung): Promise<void> {
    return this.with(record, async ({ api, namespace }) => {
      const uid = textIn(record.handle?.['uid']);
      if (uid === null) return;
      if (rung !== 'kill') {
        // A Job with another uid is somebody else's: the server refuses the change.
        const json = { metadata: { uid }, spec: { suspend: true } };
        const path = `${jobsPath(namespace)}/${nameOf(record.id)}`;
        refuseUnless(await api.ask({ method: 'PATCH', path, json }, LIMIT_MS), namespace, [OK, NOT_FOUND]);
        return;
      }
      const path = `${podsPath(namespace)}?labelSelector=${selectorOf(uid)}`;
      const json = { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0 };
      refuseUnless(await api.ask({ method: 'DELETE', path, json }, LIMIT_MS), namespace, [OK]);
    });
  }

  /** Deletes the Job that it created, and its pod. */
  clean(record: JobRecord): Promise<void> {
    return this.with(record, async ({ api, namespace }) => {
      const uid = textIn(record.handle?.['uid']);
      if (uid === null) return;
      const json = {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        propagationPolicy: 'Background',
        preconditions: { uid },
      };
      const path = `${jobsPath(namespace)}/${nameOf(record.id)}`;
      const answer = await api.ask({ method: 'DELETE', path, json }, LIMIT_MS);
      refuseUnless(answer, namespace, [OK, NOT_FOUND, CONFLICT]);
    });
  }

  private async with<T>(job: JobRequest | JobRecord, act: (cluster: Cluster) => Promise<T>): Promise<T> {
    const place = placeOf(job);
    const handle = 'handle' in job ? job.handle : null;
    const opened = await this.room.open(textIn(handle?.['context']) ?? place.context);
    if (!opened.ok) throw new JobError('refused', opened.why);
    const { api, context } = opened;
    const namespace = textIn(handle?.['namespace']) ?? place.namespace ?? opened.namespace;
    try {
      return await act({ api, context, namespace });
    } finally {
      api.close();
    }
  }
}

const jobsPath = (namespace: string): string =>
  `/apis/batch/v1/namespaces/${encodeURIComponent(namespace)}/jobs`;
const podsPath = (namespace: string): string => `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
const selectorOf = (uid: string): string => encodeURIComponent(`batch.kubernetes.io/controller-uid=${uid}`);
const uidOf = (job: unknown): string | null => textIn(valueAt(job, 'metadata', 'uid'));

/** The Job of a record; null: there is none. */
async function jobIn({ api, namespace }: Cluster, id: string): Promise<unknown> {
  const answer = await api.get(`${jobsPath(namespace)}/${nameOf(id)}`, LIMIT_MS);
  const body = refuseUnless(answer, namespace, [OK, NOT_FOUND]);
  return answer.ok && answer.status === OK ? parsedJson(body) : null;
}

async function podOf({ api, namespace }: Cluster, uid: string | null): Promise<unknown> {
  if (uid === null) return null;
  const answer = await api.get(`${podsPath(namespace)}?labelSelector=${selectorOf(uid)}`, LIMIT_MS);
  return newestPod(parsedJson(refuseUnless(answer, namespace, [OK])));
}

/** The body of an expected answer; throws what the server says otherwise. */
function refuseUnless(answer: HttpAnswer, namespace: string, expected: readonly number[]): string {
  if (!answer.ok) {
    const late = answer.why === 'timed-out' ? 'timed out' : "can't be reached";
    throw new JobError('unreachable', `The API server ${late}. Run kubectl get nodes.`, oneLine(answer.text));
  }
  if (expected.includes(answer.status)) return answer.body;
  const said = oneLine(textIn(valueAt(parsedJson(answer.body), 'message')) ?? '');
  if (answer.status === 401) {
    throw new JobError('refused', 'The API server rejects the login of the kubeconfig. Log in again.', said);
  }
  if (answer.status === 403) {
    throw new JobError('refused', `You may not do this with Jobs in the namespace ${namespace}.`, said);
  }
  throw new JobError('refused', `Kubernetes refuses this (${answer.status}).`, said);
}

/** Kubernetes does not have the Job: it was deleted, or never arrived. */
function missing(record: JobRecord, isOver: boolean): JobSighting {
  if (record.handle?.['uid']) return unseen('lost', 'Kubernetes no longer has this Job: it was deleted.');
  if (!isOver) return unseen('starting', 'Not created yet.');
  return unseen('failed', 'Its start was interrupted, and Kubernetes never received it.');
}

export const kubernetes: EngineMaker = ({ startLimitMs }) =>
  new KubernetesEngine({
    open: async context => {
      const { openKube } = await import('../../remote/kubeApi');
      return openKube(context);
    },
    now: Date.now,
    startLimitMs,
  });

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubernetesEngine } from '../../../src/jobs/engines/kubernetes';
import type { JobRecord, JobRequest } from '../../../src/jobs/job';
import { parsedJson, textIn, valueAt } from '../../../src/core/text/json';
import type { HttpAsk, HttpQuestion } from '../../../src/remote/http';
import { openKube } from '../../../src/remote/kubeApi';
import { request } from '../../jobs/support';
import { processesWith } from '../processes';
import { ApiServer, whyNoKubernetes } from './apiServer';
import { skipFor } from '../../skipFor';

const BASE_PORT = 28_660;
const JOBS = '/apis/batch/v1/namespaces/default/jobs';
const PODS = '/api/v1/namespaces/default/pods';
const LIMIT_MS = 20_000;

const PLACE = {
  engine: 'kubernetes',
  context: null,
  namespace: null,
  image: 'registry.lab/trainer:1',
  folder: '/data',
  claim: 'results',
} as const;

/** The API server is real. There are no controllers and no nodes: the test makes the pods and writes what they would report. */
describe('services: jobs of Kubernetes', function () {
  this.timeout(240_000);
  let server: ApiServer;
  let api: HttpAsk;
  let reason: string | null = null;
  const folder = mkdtempSync(join(tmpdir(), 'hr-kubejobs-'));

  before(async function () {
    reason = whyNoKubernetes();
    skipFor(reason, this);
    server = new ApiServer(BASE_PORT);
    await server.start();
    const opened = openKube(null, { KUBECONFIG: server.kubeconfig(server.token) });
    assert.ok(opened.ok);
    ({ api } = opened);
  });

  after(async () => {
    rmSync(folder, { recursive: true, force: true });
    if (reason !== null) return;
    await server.end();
    assert.deepEqual(processesWith(server.folder), []);
  });

  const engineOf = (token: string): KubernetesEngine =>
    new KubernetesEngine({
      open: context => Promise.resolve(openKube(context, { KUBECONFIG: server.kubeconfig(token) })),
      now: Date.now,
      startLimitMs: 0,
    });

  const asked = async (question: HttpQuestion, expected: number): Promise<unknown> => {
    const answer = await api.ask(question, LIMIT_MS);
    assert.ok(answer.ok);
    assert.equal(answer.status, expected, answer.body);
    return parsedJson(answer.body);
  };

  const recordFor = (id: string, more: Partial<JobRequest> = {}): JobRecord => ({
    ...request('', {
      place: PLACE,
      folder,
      argv: ['python', 'train.py', '--note', '$(HOME) costs $5'],
      ...more,
    }),
    ...{
      schema: 'headroom-job/1',
      id,
      createdMs: Date.now(),
      startedMs: null,
      endedMs: null,
      state: 'starting',
    },
    ...{ message: null, seenMs: 0, handle: null, exit: null, peaks: [] },
  });

  async function started(id: string, more: Partial<JobRequest> = {}): Promise<JobRecord> {
    const record = recordFor(id, more);
    const notes: unknown[] = [];
    const note = (handle: NonNullable<JobRecord['handle']>): Promise<void> =>
      Promise.resolve(void notes.push(handle['uid']));
    const handle = await engineOf(server.token).start(record, {}, note);
    assert.deepEqual(notes, [null]);
    return { ...record, handle };
  }

  /** A pod as the Job's controller makes it, and what its node reports. */
  async function pod(record: JobRecord, status: object): Promise<void> {
    const name = `${record.id}-pod`;
    const labels = { 'batch.kubernetes.io/controller-uid': String(record.handle?.['uid']) };
    const containers = [{ name: 'job', image: PLACE.image }];
    const json = { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels }, spec: { containers } };
    const made = await api.ask({ method: 'POST', path: PODS, json }, LIMIT_MS);
    assert.ok(made.ok && [201, 409].includes(made.status), JSON.stringify(made));
    await asked({ method: 'PATCH', path: `${PODS}/${name}/status`, json: { status } }, 200);
  }

  it('are checked by the server, which keeps nothing', async () => {
    const lines = await engineOf(server.token).plan(recordFor('j0'));
    assert.match(lines[0] ?? '', /^Creates a Job in the namespace default of lab/);
    assert.deepEqual(valueAt(await asked({ method: 'GET', path: JOBS }, 200), 'items'), []);
    const wrong = recordFor('j0', { environment: { 'a=b': '' } });
    await assert.rejects(engineOf(server.token).plan(wrong), /refuses this \(422\)/);
    await assert.rejects(engineOf(server.stranger).plan(recordFor('j0')), /You may not do this with Jobs/);
    await assert.rejects(engineOf('nobody').plan(recordFor('j0')), /rejects the login/);
  });

  it('have one try, the requested resources and no expanded text', async () => {
    const record = await started('j1', {
      gpus: { count: 2, uuids: [], needBytes: null, type: 'NVIDIA-H100-80GB-HBM3' },
      limits: { timeMinutes: 90, cpus: 8, memoryMiB: 2048, array: null, requeue: false, avoid: ['bad-node'] },
      environment: { NOTE: 'a$(B)' },
    });
    const job = await asked({ method: 'GET', path: `${JOBS}/headroom-j1` }, 200);
    assert.equal(record.handle?.['uid'], valueAt(job, 'metadata', 'uid'));
    const spec = valueAt(job, 'spec');
    assert.deepEqual(
      ['backoffLimit', 'activeDeadlineSeconds', 'ttlSecondsAfterFinished'].map(key => valueAt(spec, key)),
      [0, 5400, 604_800],
    );
    const template = valueAt(spec, 'template', 'spec');
    const [container] = valueAt(template, 'containers') as readonly unknown[];
    assert.deepEqual(valueAt(container, 'command'), ['python', 'train.py', '--note', '$$(HOME) costs $$5']);
    assert.deepEqual(valueAt(container, 'resources', 'limits'), {
      cpu: '8',
      memory: '2Gi',
      'nvidia.com/gpu': '2',
    });
    assert.deepEqual(valueAt(container, 'env'), [
      { name: 'NOTE', value: 'a$$(B)' },
      { name: 'HEADROOM_JOB', value: 'j1' },
    ]);
    assert.deepEqual(valueAt(template, 'nodeSelector'), {
      'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3',
    });
    assert.equal(valueAt(template, 'automountServiceAccountToken'), false);
    assert.equal(textIn(valueAt(template, 'restartPolicy')), 'Never');
  });

  it('report each state from the Job and its pod', async () => {
    const record = await started('j2');
    const look = async (): Promise<readonly unknown[]> => {
      const { state, message, exit } = await engineOf(server.token).look(record);
      return [state, message, exit];
    };
    assert.deepEqual(await look(), ['queued', null, null]);
    const conditions = [
      {
        type: 'PodScheduled',
        status: 'False',
        message: '0/3 nodes are available: 3 Insufficient nvidia.com/gpu.',
      },
    ];
    await pod(record, { phase: 'Pending', conditions });
    assert.deepEqual(await look(), ['queued', conditions[0]?.message, null]);
    const waiting = { reason: 'ImagePullBackOff', message: 'Back-off pulling image' };
    const reported = (state: object): object => ({
      name: 'job',
      image: 'x',
      imageID: '',
      ready: false,
      restartCount: 0,
      state,
    });
    await pod(record, { phase: 'Pending', containerStatuses: [reported({ waiting })] });
    assert.deepEqual((await look())[1], 'ImagePullBackOff: Back-off pulling image');
    const startedAt = '2026-01-02T03:04:05Z';
    await pod(record, {
      phase: 'Running',
      containerStatuses: [reported({ waiting: null, running: { startedAt } })],
    });
    assert.deepEqual(await look(), ['running', null, null]);
    const { startedMs } = await engineOf(server.token).look(record);
    assert.equal(startedMs, Date.parse(startedAt));
    const terminated = { exitCode: 137, reason: 'OOMKilled', startedAt, finishedAt: '2026-01-02T03:14:05Z' };
    await pod(record, { phase: 'Failed', containerStatuses: [reported({ running: null, terminated })] });
    assert.equal((await look())[0], 'running');
    const now = new Date().toISOString();
    const ends = ['FailureTarget', 'Failed'].map(type => ({
      ...{ type, status: 'True', reason: 'BackoffLimitExceeded' },
      ...{ lastTransitionTime: now, lastProbeTime: now },
    }));
    const status = { startTime: now, failed: 1, conditions: ends };
    await asked({ method: 'PATCH', path: `${JOBS}/headroom-j2/status`, json: { status } }, 200);
    const [state, message, exit] = await look();
    assert.deepEqual([state, exit], ['failed', { code: 137, signal: 'SIGKILL', reason: 'OOMKilled' }]);
    assert.match(String(message), /more host RAM than it may/);
  });

  it('are stopped and removed by their uid, and nobody else’s are', async () => {
    const engine = engineOf(server.token);
    const record = await started('j3');
    const other: JobRecord = {
      ...record,
      handle: { ...record.handle, uid: '00000000-0000-0000-0000-000000000000' },
    };
    await assert.rejects(engine.stop(other, 'interrupt'), /refuses this \(422\)/);
    await engine.clean(other);
    const path = `${JOBS}/headroom-j3`;
    assert.equal(valueAt(await asked({ method: 'GET', path }, 200), 'spec', 'suspend'), false);
    assert.equal((await engine.look(other)).state, 'lost');

    await pod(record, { phase: 'Running' });
    await engine.stop(record, 'interrupt');
    assert.equal((await engine.look(record)).state, 'stopping');
    await engine.stop(record, 'kill');
    const now = new Date().toISOString();
    const conditions = [{ type: 'Suspended', status: 'True', lastTransitionTime: now, lastProbeTime: now }];
    await asked({ method: 'PATCH', path: `${path}/status`, json: { status: { conditions } } }, 200);
    assert.equal((await engine.look(record)).state, 'stopped');
    assert.equal((await engine.read(record, 0)).bytes.length, 0);

    await engine.clean(record);
    await asked({ method: 'GET', path }, 404);
    assert.match((await engine.look(record)).message ?? '', /it was deleted/);
    // What another program named alike is not taken for ours.
    const spec = { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'x', image: 'x' }] } } };
    const foreign = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'headroom-j4' }, spec };
    await asked({ method: 'POST', path: JOBS, json: foreign }, 201);
    await assert.rejects(started('j4'), /Another Job is named headroom-j4/);
  });
});

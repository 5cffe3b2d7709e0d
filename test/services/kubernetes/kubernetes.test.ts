import assert from 'node:assert/strict';
import { KubernetesCluster } from '../../../src/gpu/kubernetes/cluster';
import { openKube } from '../../../src/remote/kubeApi';
import { H100, node, pod } from '../../unit/gpu/kubernetes/objects';
import { processesWith } from '../processes';
import { ApiServer, whyNoKubernetes } from './apiServer';
import { skipFor } from '../../skipFor';

const BASE_PORT = 28_640;
const GPU = (count: number) => ({ 'nvidia.com/gpu': String(count) });

describe('services: Kubernetes', function () {
  this.timeout(240_000);
  let server: ApiServer;
  let reason: string | null = null;

  before(async function () {
    reason = whyNoKubernetes();
    skipFor(reason, this);
    server = new ApiServer(BASE_PORT);
    await server.start();
  });

  after(async () => {
    if (reason !== null) return;
    await server.end();
    assert.deepEqual(processesWith(server.folder), []);
  });

  const clusterOf = (token: string): KubernetesCluster =>
    new KubernetesCluster(() => Promise.resolve(openKube(null, { KUBECONFIG: server.kubeconfig(token) })));

  it('has no GPUs before there are nodes', async () => {
    const answer = await clusterOf(server.token).ask();
    assert.ok(answer.ok, JSON.stringify(answer));
    assert.match(answer.message ?? '', /No node of this cluster has GPUs/);
    assert.match(answer.collector, /^Kubernetes \S/);
  });

  it('counts GPUs of real nodes less those of real pods', async () => {
    const made = [
      await server.ask('POST', '/api/v1/nodes', {
        apiVersion: 'v1',
        kind: 'Node',
        ...node('gpu-1', GPU(8), H100),
      }),
      await server.ask('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', ...node('cpu-1', {}) }),
      await server.ask('POST', '/api/v1/namespaces', {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'team' },
      }),
    ];
    for (const [name, count] of [
      ['train-0', 4],
      ['serve', 1],
    ] as const) {
      const { metadata, spec } = pod(name, 'gpu-1', GPU(count)) as {
        metadata: object;
        spec: { nodeName: string };
      };
      const resources = { limits: GPU(count) };
      const containers = [{ name: 'main', image: 'busybox', resources }];
      const body = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { nodeName: spec.nodeName, containers } };
      made.push(await server.ask('POST', '/api/v1/namespaces/team/pods', body));
    }
    assert.deepEqual(made, [201, 201, 201, 201, 201]);
    const answer = await clusterOf(server.token).ask();
    assert.ok(answer.ok);
    assert.deepEqual(
      answer.reading.capacities?.map(({ place, gpu, gpusTotal, gpusFree }) => [
        place,
        gpu,
        gpusTotal,
        gpusFree,
      ]),
      [['gpu-1', 'NVIDIA H100 80GB HBM3', 8, 3]],
    );
    assert.deepEqual(answer.reading.capacities[0]?.holders?.map(({ name }) => name).toSorted(), [
      'team/serve',
      'team/train-0',
    ]);
  });

  it('says which right is missing, and that a login is rejected', async () => {
    const denied = await clusterOf(server.stranger).ask();
    assert.ok(!denied.ok && denied.isFinal && denied.state === 'auth-needed');
    assert.equal(denied.why.message, 'You may not list the nodes of this cluster.');
    assert.match(denied.why.text ?? '', /nodes is forbidden/);
    const unknown = await clusterOf('nobody').ask();
    assert.ok(!unknown.ok && unknown.isFinal && unknown.state === 'auth-needed');
    assert.match(unknown.why.message ?? '', /rejects the login/);
  });
});

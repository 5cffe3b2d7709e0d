import assert from 'node:assert/strict';
import { KUBE_PATHS, KubernetesCluster } from '../../../../src/gpu/kubernetes/cluster';
import type { HttpAnswer } from '../../../../src/remote/http';
import { H100, node, pod } from './objects';

const good = (value: object): HttpAnswer => ({ ok: true, status: 200, body: JSON.stringify(value) });
const NODES = good({ kind: 'NodeList', metadata: {}, items: [node('a', { 'nvidia.com/gpu': '8' }, H100)] });
const PODS = good({ kind: 'PodList', metadata: {}, items: [pod('p', 'a', { 'nvidia.com/gpu': '2' })] });
const FORBIDDEN: HttpAnswer = {
  ok: true,
  status: 403,
  body: JSON.stringify({ kind: 'Status', message: 'pods is forbidden: User "me" cannot list' }),
};

/** An API server with these answers, which notes the paths. */
function cluster(answers: Readonly<Record<string, HttpAnswer>>) {
  const asked: string[] = [];
  const api = {
    get: (path: string): Promise<HttpAnswer> => {
      asked.push(path);
      return Promise.resolve(answers[path] ?? { ok: true, status: 404, body: 'no' });
    },
    close: () => undefined,
  };
  return { asked, cluster: new KubernetesCluster(() => Promise.resolve({ ok: true, api })) };
}

describe('Kubernetes cluster', () => {
  it('lists nodes and pods, page by page', async () => {
    const first = good({ kind: 'PodList', metadata: { continue: 'x=&' }, items: [] });
    const { cluster: one, asked } = cluster({
      [KUBE_PATHS.nodes]: NODES,
      [KUBE_PATHS.pods]: first,
      [`${KUBE_PATHS.pods}&continue=x%3D%26`]: PODS,
      [KUBE_PATHS.version]: good({ gitVersion: 'v1.36.3' }),
    });
    const answer = await one.ask();
    assert.ok(answer.ok);
    assert.equal(answer.collector, 'Kubernetes 1.36.3');
    assert.deepEqual(
      answer.reading.capacities?.map(({ gpusFree, gpusTotal }) => [gpusFree, gpusTotal]),
      [[6, 8]],
    );
    assert.equal(asked.length, 4);
  });

  it('knows the GPUs, but not what is free, without the right to list pods', async () => {
    const answer = await cluster({ [KUBE_PATHS.nodes]: NODES, [KUBE_PATHS.pods]: FORBIDDEN }).cluster.ask();
    assert.ok(answer.ok);
    assert.match(answer.message ?? '', /free GPUs are unknown/);
    assert.equal(answer.reading.capacities?.[0]?.gpusFree, null);
  });

  it('says what to do if it may not ask, or asks something else', async () => {
    const denied = await cluster({ [KUBE_PATHS.nodes]: FORBIDDEN }).cluster.ask();
    assert.ok(!denied.ok && denied.isFinal);
    assert.deepEqual(
      [denied.state, denied.why.text],
      ['auth-needed', 'pods is forbidden: User "me" cannot list'],
    );
    const other = await cluster({ [KUBE_PATHS.nodes]: good({ kind: 'NodeMetricsList' }) }).cluster.ask();
    assert.ok(!other.ok);
    assert.equal(other.state, 'driver-error');
    const none = await new KubernetesCluster(() =>
      Promise.resolve({ ok: false, why: 'There is no kubeconfig.' }),
    ).ask();
    assert.ok(!none.ok && none.isFinal);
  });
});

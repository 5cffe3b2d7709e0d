import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rayAddress } from '../../../../src/remote/rayAddress';
import { RAY_PATHS, RayCluster } from '../../../../src/gpu/ray/cluster';
import { parseRayGpus } from '../../../../src/gpu/ray/gpus';
import type { HttpAnswer, HttpGet } from '../../../../src/remote/http';
import { parseRayNodes, parseRayUsage, usedInSummary } from '../../../../src/remote/rayNodes';
import { rayToken } from '../../../../src/remote/rayToken';
import { FakeTimers } from '../fake';

const recorded = (name: string): string => readFileSync(join('test/fixtures/ray', name), 'utf8');

const good = (body: string): HttpAnswer => ({ ok: true, status: 200, body });

/** A dashboard with these answers, and 404 for everything else. */
function dashboard(answers: Readonly<Record<string, HttpAnswer>>): HttpGet {
  return {
    get: path => Promise.resolve(answers[path] ?? { ok: true, status: 404, body: '404: Not Found' }),
    close: () => undefined,
  };
}

const RECORDED = {
  [RAY_PATHS.version]: good('{"version":"4","ray_version":"2.60.0"}'),
  [RAY_PATHS.nodes]: good(recorded('nodes-2.60.json')),
  [RAY_PATHS.status]: good(recorded('status-2.60.json')),
  [RAY_PATHS.summary]: good(recorded('summary-2.60.json')),
};

const ask = (answers: Readonly<Record<string, HttpAnswer>>, sendsToken = false) =>
  new RayCluster(dashboard(answers), new FakeTimers(), sendsToken).ask();

describe('Ray cluster', () => {
  it('has the GPUs that its scheduler counts, in use or not', async () => {
    const answer = await ask(RECORDED);
    assert.ok(answer.ok);
    assert.equal(answer.collector, 'Ray 2.60.0');
    assert.deepEqual(answer.reading.capacities, [
      {
        place: '127.0.0.2',
        gpu: null,
        memoryMiB: null,
        nodes: 1,
        gpusTotal: 4,
        gpusFree: 2,
        note: 'head node',
      },
    ]);
    assert.deepEqual(answer.reading.devices, []);
  });

  it('shows what its agents read of the GPUs', async () => {
    const answer = await ask({ ...RECORDED, [RAY_PATHS.summary]: good(recorded('summary-gpus.json')) });
    assert.ok(answer.ok);
    const { devices = [], samples = [], processes } = answer.reading;
    assert.deepEqual(
      devices.map(({ name, node, vendor, memoryTotalMiB }) => [name, node, vendor, memoryTotalMiB]),
      [
        ['NVIDIA A100-SXM4-80GB', 'head', 'nvidia', 81920],
        ['NVIDIA A100-SXM4-80GB', 'head', 'nvidia', 81920],
      ],
    );
    assert.deepEqual(
      samples.map(one => [one.utilPct, one.memoryUsedMiB, one.memoryFreeMiB, one.tempC, one.powerW]),
      [
        [97, 61440, 20480, 64, 312.45],
        [null, 4, 81916, null, null],
      ],
    );
    assert.deepEqual(
      processes?.map(one => [one.pid, one.memoryUsedMiB, one.smPct, one.deviceKey]),
      [[4711, 61012, 96, devices[0]?.key]],
    );
  });

  it('reads processes and fields as older agents wrote them', () => {
    const gpu = {
      index: 3,
      name: 'AMD Instinct MI250X',
      uuid: '',
      utilization_gpu: 0,
      memory_used: 10,
      memory_total: 65520,
      processes_pids: [{ pid: 12, gpu_memory_usage: 9 }],
    };
    const node = { hostname: 'n3', ip: '10.0.0.3', raylet: { nodeId: 'ab' }, gpus: [gpu] };
    const read = parseRayGpus(JSON.stringify({ data: { summary: [node] } }), 5);
    assert.equal(read?.devices[0]?.key, 'ab:3');
    assert.equal(read.devices[0].vendor, 'amd');
    assert.equal(read.samples[0]?.utilPct, 0);
    assert.equal(read.processes[0]?.memoryUsedMiB, 9);
  });

  it('goes without what an older one does not answer', async () => {
    const answer = await ask({ [RAY_PATHS.nodes]: RECORDED[RAY_PATHS.nodes] });
    assert.ok(answer.ok);
    assert.equal(answer.collector, 'Ray');
    assert.deepEqual(
      answer.reading.capacities?.map(({ gpusTotal, gpusFree }) => [gpusTotal, gpusFree]),
      [[4, null]],
    );
  });

  it('counts what waits, and shares of GPUs as taken', () => {
    const report = {
      usageByNode: { a: { GPU: [0.5, 8] } },
      resourceDemand: [
        [{ GPU: 8 }, 3],
        [{ CPU: 1 }, 5],
      ],
    };
    const usage = parseRayUsage(JSON.stringify({ data: { clusterStatus: { loadMetricsReport: report } } }));
    assert.deepEqual([usage?.usedByNode.get('a'), usage?.waiting], [0.5, 3]);
    assert.deepEqual([...usedInSummary(recorded('summary-2.60.json')).values()].length, 1);
    assert.equal(parseRayUsage('{"data":{"clusterStatus":null}}'), null);
    assert.equal(parseRayNodes('<html>'), null);
    assert.equal(parseRayGpus('[]', 0), null);
  });

  it('says what to do about every way to fail', async () => {
    const state = async (answer: HttpAnswer, sendsToken = false) => {
      const said = await ask({ [RAY_PATHS.nodes]: answer }, sendsToken);
      assert.ok(!said.ok);
      assert.ok(said.why.message?.endsWith('.') && said.why.todo !== null, said.why.message ?? '');
      return [said.state, said.isFinal];
    };
    assert.deepEqual(await state({ ok: true, status: 401, body: 'Unauthorized' }), ['auth-needed', true]);
    assert.deepEqual(await state({ ok: true, status: 403, body: 'Forbidden' }, true), ['auth-needed', true]);
    assert.deepEqual(await state({ ok: true, status: 302, body: '' }), ['driver-error', false]);
    assert.deepEqual(await state({ ok: true, status: 404, body: '' }), ['driver-error', false]);
    assert.deepEqual(await state(good('<html>hello</html>')), ['driver-error', false]);
    assert.deepEqual(await state({ ok: false, why: 'failed', text: 'connect ECONNREFUSED' }), [
      'unreachable',
      false,
    ]);
    assert.deepEqual(await state({ ok: false, why: 'timed-out', text: '' }), ['unreachable', false]);
  });
});

describe('Ray address and token', () => {
  const url = (text: string) => {
    const address = rayAddress(text);
    return address.ok ? [address.url.href, address.isPrivate] : address.why;
  };

  it('may be written as people do', () => {
    assert.deepEqual(url('http://127.0.0.1:8265'), ['http://127.0.0.1:8265/', true]);
    assert.deepEqual(url('head'), ['http://head:8265/', false]);
    assert.deepEqual(url('head:80'), ['http://head/', false]);
    assert.deepEqual(url('https://ray.example.org/c1'), ['https://ray.example.org/c1', true]);
    assert.match(String(url('ray://head:10001')), /the Ray client/);
    assert.match(String(url('')), /not a dashboard address/);
    assert.match(String(url('file:///etc/passwd')), /not a dashboard address|must (?:be|have)/);
  });

  it('never shows or takes a password in the address', () => {
    const said = String(url('http://me:geheim@head:8265'));
    assert.match(said, /without a password/);
    assert.doesNotMatch(said, /geheim/);
  });

  it('meet only at addresses of the user’s own where nobody listens', () => {
    const token = (
      address: string,
      variables: Record<string, string>,
      variable: string | null = null,
      isOwn = false,
    ) => {
      const at = rayAddress(address);
      assert.ok(at.ok);
      const found = rayToken(at, variables, variable, isOwn);
      return found.ok ? found.token : found.why;
    };
    const RAY_AUTH_TOKEN = 't';
    assert.equal(token('localhost', { RAY_AUTH_TOKEN }), 't');
    assert.equal(token('https://head', { RAY_AUTH_TOKEN }), null);
    assert.equal(token('https://head', { RAY_AUTH_TOKEN }, null, true), 't');
    assert.equal(token('http://head', { RAY_AUTH_TOKEN }, null, true), null);
    assert.equal(token('head', { RAY_AUTH_TOKEN }), null);
    assert.equal(token('head', { RAY_AUTH_TOKEN, RAY_ADDRESS: 'http://head:8265' }), 't');
    assert.equal(token('localhost', {}), null);
    assert.equal(token('localhost', { RAY_B: 'x', RAY_AUTH_TOKEN }, 'RAY_B'), 'x');
    assert.match(String(token('localhost', { GITHUB_TOKEN: 'x' }, 'GITHUB_TOKEN')), /start with RAY_/);
    assert.match(String(token('localhost', {}, 'RAY_B')), /not set/);
  });
});

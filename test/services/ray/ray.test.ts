import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { nodeLaunch } from '../../../src/gpu/launch';
import { rayWatch } from '../../../src/gpu/clusters';
import type { HostWatch } from '../../../src/gpu/fleet';
import { nodeTimers } from '../../../src/gpu/timers';
import { processesWith, until } from '../processes';
import { Ray, whyNoRay } from './ray';
import { skipFor } from '../../skipFor';

const BASE_PORT = 28_360;

describe('services: Ray', function () {
  this.timeout(200_000);
  let ray: Ray;
  let watch: HostWatch | null = null;
  let reason: string | null = null;

  before(async function () {
    reason = whyNoRay();
    skipFor(reason, this);
    ray = new Ray(BASE_PORT, 4);
    await ray.start();
  });

  afterEach(() => {
    watch?.dispose();
    watch = null;
  });

  after(async () => {
    if (reason !== null) return;
    await ray.end();
    assert.deepEqual(processesWith(ray.folder), []);
  });

  function watching(token: string | null): HostWatch {
    const variables = token === null ? {} : { RAY_AUTH_TOKEN: token };
    const surroundings = { launch: nodeLaunch, timers: nodeTimers, variables };
    const made = rayWatch({ address: ray.address }, surroundings, 500);
    assert.ok(made.ok);
    watch = made.watch;
    return made.watch;
  }

  const free = (one: HostWatch) =>
    one.reading.capacities.map(({ gpusTotal, gpusFree }) => [gpusTotal, gpusFree]);

  async function comes(one: HostWatch, holds: () => boolean): Promise<void> {
    one.hold();
    await until(holds, () => [one.reading.status, one.reading.capacities], 60_000);
  }

  it('leaves nothing behind if it cannot start completely', async () => {
    const taken = createServer(socket => socket.destroy()).listen(BASE_PORT + 20, '127.0.0.1');
    const broken = new Ray(BASE_PORT + 20, 1);
    try {
      await assert.rejects(() => broken.start());
      assert.deepEqual([processesWith(broken.folder), existsSync(broken.folder)], [[], false]);
    } finally {
      taken.close();
    }
  });

  it('asks for a token, and rejects a wrong one', async () => {
    const none = watching(null);
    await comes(none, () => none.reading.status.state === 'auth-needed');
    assert.match(none.reading.status.todo ?? '', /RAY_AUTH_TOKEN/);
    none.dispose();
    const wrong = watching('wrong');
    await comes(wrong, () => wrong.reading.status.state === 'auth-needed');
    assert.match(wrong.reading.status.message ?? '', /rejects the token/);
  });

  it('has the declared GPUs, and fewer while a job holds one', async () => {
    const one = watching(ray.token);
    await comes(one, () => one.reading.status.state === 'live' && free(one)[0]?.[1] === 4);
    assert.deepEqual(free(one), [[4, 4]]);
    assert.match(one.reading.status.collector ?? '', /^Ray 2\.60/);
    assert.equal(await ray.submit(1), 200);
    await comes(one, () => free(one)[0]?.[1] === 3);
    assert.equal(await ray.submit(8), 200);
    await comes(one, () => (one.reading.capacities[0]?.note ?? '').includes('1 GPU request is waiting'));
    // Without NVML, nothing is known about the cards themselves, and nothing is made up.
    assert.deepEqual(one.reading.devices, []);
  });
});

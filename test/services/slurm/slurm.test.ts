import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { localSlurm } from '../../../src/gpu/clusters';
import type { HostWatch } from '../../../src/gpu/fleet';
import { openFleet } from '../../../src/gpu/openFleet';
import type { OpenFleet } from '../../../src/gpu/openFleet';
import { processesWith, until } from '../processes';
import { SshBench, whyNoSshd } from '../ssh/sshd';
import { Slurm, whyNoSlurm } from './slurm';
import { skipFor } from '../../skipFor';

const BASE_PORT = 17_840;

describe('services: Slurm', function () {
  let slurm: Slurm;
  let bench: SshBench | null = null;
  let fleet: OpenFleet | null = null;
  let watch: HostWatch | null = null;
  const reason = whyNoSlurm();
  const before_ = process.env['SLURM_CONF'];

  before(async function () {
    skipFor(reason, this);
    slurm = new Slurm(BASE_PORT);
    process.env['SLURM_CONF'] = slurm.conf;
    await slurm.start();
  });

  afterEach(() => {
    watch?.dispose();
    fleet?.dispose();
    watch = null;
    fleet = null;
  });

  after(async () => {
    if (before_ === undefined) delete process.env['SLURM_CONF'];
    else process.env['SLURM_CONF'] = before_;
    if (reason !== null) return;
    await bench?.end();
    await slurm.end();
    assert.deepEqual(processesWith(slurm.folder), []);
  });

  async function reading(one: HostWatch, ...states: string[]) {
    one.hold();
    await until(
      () => states.includes(one.reading.status.state),
      () => one.reading.status,
      40_000,
    );
    return one.reading;
  }

  const short = ({ capacities }: HostWatch['reading']) =>
    capacities.map(({ place, gpu, gpusTotal, gpusFree }) => [place, gpu, gpusTotal, gpusFree]);

  it('leaves nothing behind if it cannot start completely', async () => {
    const broken = new Slurm(BASE_PORT + 15, ['NoSuchWord=1']);
    await assert.rejects(() => broken.start(), /^Error: slurmctld: /);
    assert.deepEqual([processesWith(broken.folder), existsSync(broken.folder)], [[], false]);
  });

  it('reports what is free, held, drained and down, and who waits', async () => {
    await slurm.submit('R', '-p', 'gpu', '-w', 'gpu1', '--gres=gpu:a100:3');
    await slurm.submit('R', '-p', 'mig', '--gres=gpu:1');
    slurm.run('scontrol', 'update', 'nodename=gpu2', 'state=drain', 'reason=Xid 79');
    await slurm.submit('PD', '-p', 'gpu', '--gres=gpu:8');
    watch = localSlurm();
    const now = await reading(watch, 'live');
    assert.deepEqual(short(now), [
      ['gpu', 'a100', 16, 5],
      ['mig', 'a100_1g.10gb', 4, 3],
      ['old', 'h100', 8, 0],
    ]);
    assert.equal(now.capacities[0]?.note, '1 of 2 nodes drained; 1-00:00:00 at most; 1 GPU job is waiting');
    assert.match(now.capacities[0].members?.[1]?.note ?? '', /^drained: Xid 79/);
  });

  it('is also read by the command line', () => {
    const ran = spawnSync(process.execPath, [resolve('dist/cli.js'), 'gpus', '--slurm'], {
      encoding: 'utf8',
      timeout: 30_000,
    });
    assert.equal(ran.status, 0, ran.stderr);
    assert.match(ran.stdout, /\| gpu +\| a100 +\| 5 +\| 16 \|/);
    assert.equal(ran.stdout.includes('power supply'), false);
  });

  it('is read through a login node over one connection, and leaves nothing there', async function () {
    const missing = whyNoSshd();
    if (missing !== null) {
      console.log(`    skipped: ${missing}`);
      this.skip();
    }
    bench = new SshBench();
    const server = await bench.serve('login', null, { environment: { SLURM_CONF: slurm.conf } });
    fleet = openFleet({
      executables: {},
      intervalMs: 1000,
      ssh: { configFile: bench.configFile },
      hosts: [{ kind: 'slurm', alias: 'login', name: 'Cluster' }],
      lingerMs: 0,
    });
    const [, login] = fleet.watches();
    assert.ok(login);
    const now = await reading(login, 'live');
    assert.deepEqual(short(now)[0], ['gpu', 'a100', 16, 5]);
    fleet.dispose();
    fleet = null;
    await server.stop();
  });

  it('says that the controller is not reachable', async function () {
    this.timeout(60_000);
    slurm.stopController();
    watch = localSlurm();
    const now = await reading(watch, 'unreachable');
    assert.match(now.status.message ?? '', /controller does not answer/);
    assert.ok((now.status.nextTryMs ?? 0) > Date.now());
  });
});

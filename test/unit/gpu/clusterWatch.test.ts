import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClusterWatch } from '../../../src/gpu/clusterWatch';
import type { Cluster, ClusterAnswer } from '../../../src/gpu/clusterWatch';
import { localSlurm, rayWatch } from '../../../src/gpu/clusters';
import type { HostReading } from '../../../src/gpu/fleet';
import { SlurmCluster } from '../../../src/gpu/slurm/cluster';
import { commandsHere } from '../../../src/gpu/slurm/commands';
import { FakeLaunch, FakeTimers, settled } from './fake';

const HOST = { id: 'slurm:local', kind: 'slurm', name: 'Slurm' } as const;

const CAPACITY = {
  place: 'gpu',
  gpu: 'a100',
  memoryMiB: null,
  nodes: 1,
  gpusTotal: 8,
  gpusFree: 3,
  note: null,
};
const GOOD: ClusterAnswer = {
  ok: true,
  reading: { capacities: [CAPACITY] },
  collector: 'scontrol',
  message: null,
};
const bad = (isFinal: boolean): ClusterAnswer => ({
  ok: false,
  state: 'unreachable',
  why: { message: 'Away.', todo: 'Wait.' },
  isFinal,
});

class FakeCluster implements Cluster {
  asked = 0;
  closed = 0;
  constructor(public answer: ClusterAnswer) {}
  ask(): Promise<ClusterAnswer> {
    this.asked += 1;
    return Promise.resolve(this.answer);
  }
  close(): void {
    this.closed += 1;
  }
}

function watching(answer: ClusterAnswer) {
  const timers = new FakeTimers();
  const cluster = new FakeCluster(answer);
  const watch = new ClusterWatch(HOST, cluster, 20_000, timers);
  const states: string[] = [];
  watch.on(({ status }) => states.push(status.state));
  return { timers, cluster, watch, states };
}

describe('cluster watch', () => {
  it('asks only while somebody holds it', async () => {
    const { timers, cluster, watch, states } = watching(GOOD);
    await timers.pass(60_000);
    assert.equal(cluster.asked, 0);
    const release = watch.hold();
    await timers.pass(40_000);
    assert.equal(cluster.asked, 3);
    assert.deepEqual(watch.reading.capacities, [CAPACITY]);
    release();
    await timers.pass(60_000);
    assert.deepEqual([cluster.asked, cluster.closed], [3, 1]);
    assert.deepEqual([...new Set(states)], ['connecting', 'live', 'idle']);
  });

  it('waits longer the longer a cluster is unreachable, keeps its state, and reconnects', async () => {
    const { timers, cluster, watch } = watching(GOOD);
    watch.hold();
    await settled();
    cluster.answer = bad(false);
    await timers.pass(600_000);
    const { status, capacities } = watch.reading;
    assert.deepEqual([status.state, status.message, status.todo], ['unreachable', 'Away.', 'Wait.']);
    assert.equal(capacities.length, 1);
    assert.ok(cluster.asked <= 7, String(cluster.asked));
    cluster.answer = GOOD;
    watch.retry();
    await settled();
    assert.equal(watch.reading.status.state, 'live');
  });

  it('does not retry what only the user can fix, until told to', async () => {
    const { timers, cluster, watch } = watching(bad(true));
    watch.hold();
    await timers.pass(3_600_000);
    assert.equal(cluster.asked, 1);
    assert.equal(watch.reading.status.nextTryMs, null);
    watch.retry();
    assert.equal(cluster.asked, 2);
  });

  it('ignores an answer that arrives after its release', async () => {
    const { watch, states } = watching(GOOD);
    watch.hold()();
    await settled();
    assert.deepEqual(states, ['connecting', 'idle']);
  });
});

const recorded = (name: string): string => readFileSync(join('test/fixtures/slurm', name), 'utf8');

describe('Slurm through its commands', () => {
  it('asks each once, in JSON first and in lines where that is unknown', async () => {
    const { launch, children } = new FakeLaunch();
    const slurm = new SlurmCluster(launch, new FakeTimers(), commandsHere);
    const asked = slurm.ask();
    const answer = async (text: string, code: number) => {
      children.at(-1)?.say(text);
      children.at(-1)?.end(code);
      await settled();
    };
    await answer('', 1);
    const refused = await asked;
    assert.equal(!refused.ok && refused.state, 'driver-error');
    const again = slurm.ask();
    children.at(-1)?.complain("scontrol: unrecognized option '--json'\n");
    await answer('', 1);
    await answer(recorded('nodes-22.05.txt'), 0);
    await answer(recorded('partitions-22.05.txt'), 0);
    await answer(recorded('queue-22.05.txt'), 0);
    const read = await again;
    assert.ok(read.ok);
    assert.equal(read.collector, 'scontrol');
    assert.equal(read.reading.capacities?.length, 7);
    const third = slurm.ask();
    assert.deepEqual(children.at(-1)?.args, ['-d', '-o', 'show', 'node']);
    slurm.close();
    await third;
    assert.ok(children.every(({ executable }) => ['scontrol', 'sinfo', 'squeue'].includes(executable)));
  });

  it('says that it is not there, not answering, or not set up', async () => {
    const state = async (end: (launch: FakeLaunch) => void, pass = 0) => {
      // A process that does not end immediately when asked.
      const fake = new FakeLaunch(true);
      const timers = new FakeTimers();
      const asked = new SlurmCluster(fake.launch, timers, commandsHere).ask();
      end(fake);
      await timers.pass(pass);
      const answer = await asked;
      assert.ok(!answer.ok);
      return answer.state;
    };
    const says = (text: string) => (fake: FakeLaunch) => {
      fake.last.complain(text);
      fake.last.end(1);
    };
    assert.equal(await state(fake => fake.last.end(null, 'not-found')), 'no-tool');
    assert.equal(await state(() => undefined, 30_000), 'unreachable');
    const away = 'slurm_load_node error: Unable to contact slurm controller (connect failure)';
    assert.equal(await state(says(away)), 'unreachable');
    const unset = 'scontrol: error: s_p_parse_file: cannot stat file /etc/slurm/slurm.conf: No such file';
    assert.equal(await state(says(unset)), 'driver-error');
  });
});

describe('clusters of a fleet', () => {
  it('start nothing before they are held, and end what they started', async () => {
    const fake = new FakeLaunch();
    const timers = new FakeTimers();
    const watch = localSlurm('Slurm', { launch: fake.launch, timers, variables: {} });
    assert.equal(fake.children.length, 0);
    const readings: HostReading[] = [];
    watch.on(reading => readings.push(reading));
    const release = watch.hold();
    assert.equal(fake.children.length, 1);
    release();
    await settled();
    assert.ok(fake.last.isStopped);
    watch.dispose();
    assert.equal(readings.at(-1)?.status.state, 'idle');
  });

  it('have one id from one window to the next, and say what is wrong with an address', () => {
    const surroundings = { launch: new FakeLaunch().launch, timers: new FakeTimers(), variables: {} };
    const ray = rayWatch({ address: 'http://head:8265' }, surroundings);
    assert.ok(ray.ok);
    assert.deepEqual(ray.watch.host, { id: 'ray:head:8265', kind: 'ray', name: 'Ray head:8265' });
    assert.equal(rayWatch({ address: 'ray://head' }, surroundings).ok, false);
    assert.equal(
      rayWatch({ address: 'head', tokenVariable: 'HOME' }, { ...surroundings, variables: { HOME: '/' } }).ok,
      false,
    );
  });
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { HostReading } from '../../../src/gpu/fleet';
import { LocalWatch } from '../../../src/gpu/localWatch';
import { machineOf } from '../../../src/gpu/machine';
import { OpenFleet } from '../../../src/gpu/openFleet';
import { neverAsleep } from '../../../src/gpu/sleep';
import { nvidiaSmi } from '../../../src/gpu/tools/nvidiaSmi';
import { FakeLaunch, FakeTimers, settled } from './fake';

const recording = (name: string) => readFileSync(`test/fixtures/telemetry/${name}`, 'utf8');
const GPUS = recording('nv-csv-4080s-595-load.csv');
const APPS = recording('nv-apps-4080s-595-load.csv');

describe('gpu: this machine in the fleet', () => {
  let timers: FakeTimers;
  let fake: FakeLaunch;
  let watch: LocalWatch;
  let fleet: OpenFleet;
  let readings: HostReading[];

  beforeEach(() => {
    timers = new FakeTimers();
    fake = new FakeLaunch();
    const { launch } = fake;
    const machine = machineOf({
      system: {
        platform: 'linux',
        variables: {},
        launch,
        timers,
        tools: [nvidiaSmi],
        executables: { 'nvidia-smi': '/bin/nvidia-smi' },
        adapters: () => Promise.resolve([]),
      },
      intervalMs: 1000,
      owners: () => Promise.resolve(new Map()),
      load: () => Promise.resolve({ cpuPct: 12, memoryTotalMiB: 1024, memoryUsedMiB: 512 }),
      sleepOf: () => neverAsleep,
      mayStream: true,
    });
    watch = new LocalWatch(machine);
    fleet = new OpenFleet(watch, () => assert.fail('No host was configured.'));
    readings = [];
    watch.on(reading => readings.push(reading));
  });

  const state = () => watch.reading.status.state;

  async function answer(text: string, exitCode = 0): Promise<void> {
    await settled();
    fake.last.say(text);
    fake.last.end(exitCode);
    await settled();
  }

  async function goLive(): Promise<void> {
    await answer(GPUS);
    await answer(APPS);
    fake.last.say(GPUS);
  }

  it('starts nothing until it is held, goes live, and keeps the samples', async () => {
    await timers.pass(60_000);
    assert.deepEqual([fake.children.length, state()], [0, 'idle']);
    const release = watch.hold();
    assert.equal(state(), 'connecting');
    await goLive();
    assert.equal(state(), 'live');
    assert.equal(watch.reading.status.collector, 'nvidia-smi stream');
    assert.equal(watch.reading.devices[0]?.name, 'NVIDIA GeForce RTX 4080 SUPER');
    assert.equal(watch.reading.processes?.length, 3);
    const [id] = fleet.history.devices();
    assert.match(id ?? '', /^local\//);
    assert.equal(fleet.history.series(id ?? '', 'memoryUsedMiB', 0).values.length, 1);
    release();
    assert.equal(state(), 'idle');
    assert.equal(fake.last.isStopped, true);
    const started = fake.children.length;
    await timers.pass(120_000);
    assert.equal(fake.children.length, started);
  });

  it('shares one stream among all who hold it, and does not look for the GPUs again', async () => {
    const first = watch.hold();
    await goLive();
    const second = watch.hold();
    first();
    assert.equal(state(), 'live');
    second();
    assert.equal(state(), 'idle');
    const before = fake.children.length;
    watch.hold();
    await settled();
    assert.equal(fake.children.length, before + 1);
    assert.ok(fake.last.args.includes('-l'));
  });

  it('asks for processes and the load of the machine at a slower pace', async () => {
    watch.hold();
    await goLive();
    await timers.pass(0);
    assert.deepEqual(watch.reading.machine, { cpuPct: 12, memoryTotalMiB: 1024, memoryUsedMiB: 512 });
    const before = fake.children.length;
    const stream = fake.last;
    for (let second = 1; second < 10; second++) {
      stream.say(GPUS);
      await timers.pass(1000);
    }
    assert.equal(fake.children.length, before);
    await timers.pass(1000);
    assert.equal(fake.children.length, before + 1);
    assert.ok(fake.last.args.some(arg => arg.startsWith('--query-compute-apps')));
  });

  /** The same recording with a second GPU. */
  const TWO =
    GPUS + (GPUS.split('\n')[1] ?? '').replace('GPU-00000000', 'GPU-11111111').replace(':01:', ':02:') + '\n';

  it('shows a GPU that the loop begins to report', async () => {
    watch.hold();
    await goLive();
    const stream = fake.last;
    stream.say(TWO);
    await timers.pass(5000);
    assert.equal(stream.isStopped, false);
    await answer(TWO);
    await answer(APPS);
    assert.deepEqual([watch.reading.devices.length, stream.isStopped], [2, true]);
    fake.last.say(TWO);
    assert.deepEqual([watch.reading.samples.length, state()], [2, 'live']);
  });

  it('lists the GPUs every minute while they are read, and drops one that is gone', async () => {
    watch.hold();
    await answer(TWO);
    await answer(APPS);
    const stream = fake.last;
    for (let second = 0; second < 60; second++) {
      stream.say(TWO);
      await timers.pass(1000);
      if (fake.last.args.some(arg => arg.startsWith('--query-compute-apps'))) await answer(APPS);
    }
    const listing = fake.children.filter(({ args }) => args.some(arg => arg.startsWith('--query-gpu')));
    assert.equal(listing.length, 3);
    await answer(GPUS);
    await answer(APPS);
    assert.equal(watch.reading.devices.length, 1);
    assert.equal(stream.isStopped, true);
  });

  it('keeps its GPUs when listing them again fails', async () => {
    watch.hold();
    await answer(TWO);
    await answer(APPS);
    const stream = fake.last;
    stream.say(TWO);
    stream.say(GPUS);
    stream.say(GPUS);
    await timers.pass(5000);
    await answer(recording('nv-err-nodriver.txt'), 9);
    assert.deepEqual([watch.reading.devices.length, stream.isStopped], [2, false]);
  });

  it('says that what it shows is old when nothing comes', async () => {
    watch.hold();
    await goLive();
    await timers.pass(4999);
    assert.equal(state(), 'live');
    await timers.pass(1);
    assert.equal(state(), 'stale');
    assert.match(watch.reading.status.message ?? '', /old/);
    assert.equal(watch.reading.samples.length, 1);
  });

  it('says what is wrong with the driver, looks again after a while, and at once when told to', async () => {
    watch.hold();
    await answer(recording('nv-err-nodriver.txt'), 9);
    assert.equal(state(), 'driver-error');
    const { status } = watch.reading;
    assert.match(status.message ?? '', /driver is not running/);
    assert.equal(status.errorKind, 'driver-not-loaded');
    assert.equal(status.nextTryMs, timers.now() + 30_000);
    const asked = fake.children.length;
    await timers.pass(29_999);
    assert.equal(fake.children.length, asked);
    await timers.pass(1);
    assert.equal(fake.children.length, asked + 1);
    await answer(recording('nv-err-nodriver.txt'), 9);
    watch.retry();
    await goLive();
    assert.equal(state(), 'live');
  });

  it('says that no tool is there', async () => {
    watch.hold();
    await settled();
    fake.last.end(null, 'not-found');
    await settled();
    assert.equal(state(), 'no-tool');
    assert.match(watch.reading.status.todo ?? '', /driver/);
    await timers.pass(600_000);
    assert.equal(fake.children.length, 1);
  });

  it('ends everything when the fleet is disposed of', async () => {
    watch.hold();
    await goLive();
    fleet.dispose();
    assert.equal(fake.last.isStopped, true);
    const heard = readings.length;
    const started = fake.children.length;
    watch.hold();
    await timers.pass(60_000);
    assert.deepEqual([readings.length, fake.children.length], [heard, started]);
    assert.deepEqual(fleet.watches(), []);
  });
});

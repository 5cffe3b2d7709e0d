import assert from 'node:assert/strict';
import type { Source } from '../../../src/gpu/ask';
import type { CollectorOptions, SamplerState } from '../../../src/gpu/collector';
import type { GpuSample } from '../../../src/gpu/sample';
import { Sampler } from '../../../src/gpu/sampler';
import { neverAsleep } from '../../../src/gpu/sleep';
import { nvidiaSmi } from '../../../src/gpu/tools/nvidiaSmi';
import { FakeLaunch, FakeTimers, settled } from './fake';

const HEADER = 'timestamp, index, uuid, utilization.gpu [%], memory.used [MiB]\n';
const row = (second: number, index: number, util: string) =>
  `2026/06/26 12:00:0${second}.000, ${index}, GPU-${index}, ${util}, 100\n`;

describe('gpu: sampling', () => {
  let timers: FakeTimers;
  let fake: FakeLaunch;
  let seen: (readonly GpuSample[])[];
  let states: SamplerState[];

  beforeEach(() => {
    timers = new FakeTimers();
    fake = new FakeLaunch();
    seen = [];
    states = [];
  });

  function sampler(options: Partial<CollectorOptions> = {}, devices = 1): Sampler {
    const source: Source = { tool: nvidiaSmi, executable: 'nvidia-smi', unknownFields: [], devices };
    const made = new Sampler(source, {
      intervalMs: 1000,
      launch: fake.launch,
      timers,
      sleep: neverAsleep,
      mayStream: true,
      ...options,
    });
    made.on({ samples: samples => seen.push(samples), state: state => states.push(state) });
    return made;
  }

  const kinds = () => states.map(state => state.kind);
  const utils = () => seen.map(samples => samples.map(sample => sample.utilPct));

  it('starts nothing until somebody wants it, shares one process, and ends it with the last', async () => {
    const one = sampler();
    await settled();
    assert.equal(fake.children.length, 0);
    const releases = [one.hold(), one.hold()];
    await settled();
    assert.equal(fake.children.length, 1);
    assert.deepEqual(fake.last.args.slice(-2), ['-l', '1']);
    for (const release of releases) release();
    releases[0]?.();
    assert.equal(fake.last.isStopped, true);
    assert.deepEqual(kinds(), ['connecting', 'stopped']);
    fake.last.say(HEADER + row(1, 0, '5'));
    await timers.pass(100_000);
    assert.deepEqual([seen.length, fake.children.length], [0, 1]);
  });

  it('gives a tick when all its rows are there, even cut in pieces', async () => {
    sampler({}, 2).hold();
    await settled();
    const text = HEADER + row(1, 0, '5') + row(1, 1, '[N/A]') + row(2, 0, '7');
    for (let at = 0; at < text.length; at += 7) fake.last.say(text.slice(at, at + 7));
    assert.deepEqual(utils(), [[5, null]]);
    fake.last.say(row(2, 1, '8'));
    assert.deepEqual(utils(), [
      [5, null],
      [7, 8],
    ]);
    assert.deepEqual(kinds(), ['connecting', 'live']);
  });

  it('learns that a device has come or gone', async () => {
    sampler({}, 2).hold();
    await settled();
    fake.last.say(HEADER + row(1, 0, '1') + row(2, 0, '2') + row(3, 0, '3'));
    assert.deepEqual(utils(), [[1], [2], [3]]);
    fake.last.say(row(4, 0, '4') + row(4, 1, '5') + row(5, 0, '6') + row(5, 1, '7'));
    assert.deepEqual(utils().slice(3), [[4], [4, 5], [6, 7]]);
  });

  it('queries instead when the loop gives nothing but errors', async () => {
    sampler().hold();
    await settled();
    const broken = (second: number) => `${second}, 0, GPU-0, [Unknown Error], [Unknown Error]\n`;
    fake.last.say(HEADER + row(1, 0, '5') + broken(2) + broken(3));
    assert.equal(fake.last.isStopped, true);
    await timers.pass(0);
    assert.equal(fake.last.args.includes('-l'), false);
    fake.last.say(HEADER + row(4, 0, '6'));
    fake.last.end(0);
    await settled();
    assert.deepEqual(utils(), [[5], [6]]);
    assert.deepEqual(states.at(-1), { kind: 'live', by: 'query' });
    await timers.pass(1000);
    assert.equal(fake.children.length, 3);
  });

  it('queries instead when the loop ends before it said anything', async () => {
    sampler().hold();
    await settled();
    fake.last.end(255);
    await timers.pass(1000);
    fake.last.end(255);
    await timers.pass(0);
    assert.equal(fake.children.length, 3);
    assert.equal(fake.last.args.includes('-l'), false);
  });

  it('leaves out a field that the driver does not know', async () => {
    sampler().hold();
    await settled();
    fake.last.say('Field "memory.reserved" is not a valid field to query.\n');
    fake.last.end(2);
    await timers.pass(0);
    assert.equal(fake.children.length, 2);
    assert.ok(fake.children[0]?.args.join(' ').includes('memory.reserved'));
    assert.ok(!fake.last.args.join(' ').includes('memory.reserved'));
  });

  it('gives up a silent tool, and asks no second time while it is still there', async () => {
    fake.isStubborn = true;
    sampler().hold();
    await settled();
    fake.last.say(HEADER + row(1, 0, '5'));
    await timers.pass(7999);
    assert.equal(fake.last.isStopped, false);
    await timers.pass(1);
    assert.equal(fake.last.isStopped, true);
    assert.equal(states.at(-1)?.kind, 'failing');
    await timers.pass(600_000);
    assert.equal(fake.children.length, 1);
    fake.last.end(null);
    await timers.pass(1000);
    assert.equal(fake.children.length, 2);
  });

  it('pauses longer and longer while the driver fails', async () => {
    sampler({ mayStream: false }).hold();
    const pauses: number[] = [];
    for (let round = 0; round < 8; round++) {
      await settled();
      fake.last.say("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n");
      fake.last.end(9);
      await settled();
      const state = states.at(-1);
      assert.ok(state?.kind === 'failing' && state.error.kind === 'driver-not-loaded');
      pauses.push(state.nextTryMs - timers.now());
      await timers.pass(state.nextTryMs - timers.now());
    }
    assert.deepEqual(pauses, [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  });

  it('does not wake GPUs that sleep, and does not keep those awake that may', async () => {
    let isAsleep = true;
    const sleep = { isAsleep: () => Promise.resolve(isAsleep), maySleep: () => Promise.resolve(true) };
    sampler({ sleep }).hold();
    await timers.pass(10_000);
    assert.equal(fake.children.length, 0);
    assert.deepEqual(kinds(), ['connecting', 'asleep']);
    isAsleep = false;
    await timers.pass(1000);
    assert.equal(fake.children.length, 1);
    assert.equal(fake.last.args.includes('-l'), false);
  });

  it('notifies nobody after it is disposed', async () => {
    const one = sampler();
    one.hold();
    await settled();
    one.dispose();
    fake.last.say(HEADER + row(1, 0, '5'));
    await timers.pass(60_000);
    assert.deepEqual([seen, kinds()], [[], ['connecting']]);
    assert.equal(fake.last.isStopped, true);
  });
});

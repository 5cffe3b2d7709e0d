import assert from 'node:assert/strict';
import { estimateRun } from '../../../src/core/memory/estimateRun';
import type { DeviceEstimate } from '../../../src/core/memory/estimate';
import { calibration } from '../../../src/core/memory/calibration';
import { interval, spreadsOf } from '../../../src/core/memory/interval';
import { live } from '../../../src/core/memory/reserved';
import type { MemoryRun } from '../../../src/core/memory/run';
import { estimatedAs } from '../../eval/accuracy/record';
import { fromSimulated } from '../../eval/accuracy/simulated';
import type { SimulatedRecord } from '../../eval/accuracy/simulated';
import { target } from '../core/support';
import { someOf } from '../../tries';
import { fixture, memoryRun } from './support';
import type { RunChanges } from './support';

/** Of a framework that there is a profile of. */
const known: MemoryRun['behavior'] = { ...memoryRun().behavior, frameworkKnown: true };

const spreads = (changes: RunChanges = {}, replayed = true) =>
  spreadsOf(memoryRun({ behavior: known, ...changes }), replayed);

describe('memory: intervals', () => {
  it('lie around what is expected', () => {
    assert.deepEqual(interval(1000, { below: 0.25, above: 0.5 }), { low: 750, expected: 1000, high: 1500 });
  });

  it('follow the measured doubts that are passed in', () => {
    const spreadsByName = Object.entries(calibration.spreads).map(([name, row]) => [
      name,
      { ...row, value: { below: 0, above: name === 'live' ? 0.5 : 0 } },
    ]);
    const other = {
      ...calibration,
      spreads: Object.fromEntries(spreadsByName) as typeof calibration.spreads,
    };
    const { allocated, reserved, device } = spreadsOf(memoryRun(), true, other);
    assert.deepEqual([allocated.above, reserved.above, device.above], [0, 0, 0.5]);
  });

  it('open below where rows may be shorter than the config says', () => {
    const [full, padded] = [spreads().allocated, spreads({ atMost: true }).allocated];
    assert.ok(padded.above >= full.above);
    assert.ok(padded.below > full.below + 0.09);
  });

  it('open above where nobody says which release runs: older ones take more', () => {
    const [stated, supposed] = [spreads(), spreads({ behavior: { ...known, releaseStated: false } })];
    assert.ok(supposed.allocated.above > stated.allocated.above + 0.05);
    assert.ok(supposed.allocated.below < stated.allocated.below + 0.05);
  });

  const wider: readonly (readonly [string, RunChanges])[] = [
    ['a contrastive loss keeps more', { head: 'base' }],
    ['columns of 8-bit weights depend on the data', { quantization: 'int8' }],
    ['pairs are compared', { behavior: { ...known, loss: { kind: 'log-probabilities', selective: true } } }],
  ];
  for (const [why, changes] of wider) {
    it(`are wider on both sides where ${why}`, () => {
      const [plain, doubtful] = [spreads().allocated, spreads(changes).allocated];
      assert.ok(doubtful.below > plain.below && doubtful.above > plain.above);
    });
  }

  it('are wider where no one knows the framework', () => {
    const [plain, doubtful] = [spreads(), spreads({ behavior: { ...known, frameworkKnown: false } })];
    assert.ok(doubtful.allocated.below > plain.allocated.below + 0.05);
    assert.ok(doubtful.allocated.above > plain.allocated.above + 0.05);
  });

  it('are wider above where what is generated is not known', () => {
    assert.ok(spreads({ task: 'infer' }).allocated.above > spreads().allocated.above);
  });

  it('add doubts by their squares', () => {
    const doubts = [{ task: 'infer' }, { quantization: 'int8' }] as const;
    const [plain, one, other] = [{}, ...doubts].map(changes => spreads(changes).allocated.below);
    const both = spreads({ task: 'infer', quantization: 'int8' }).allocated.below;
    assert.ok(plain !== undefined && one !== undefined && other !== undefined);
    assert.ok(Math.abs(both ** 2 - (one ** 2 + other ** 2 - plain ** 2)) < 1e-12);
  });

  it('widen from what is allocated to what a device shows, and where nobody replays', () => {
    for (const replayed of [true, false]) {
      const { allocated, reserved, device } = spreads({}, replayed);
      assert.ok(allocated.below < reserved.below && reserved.below < device.below);
      assert.ok(allocated.above < reserved.above && reserved.above < device.above);
    }
    assert.ok(spreads({}, false).device.above > spreads({}, true).device.above);
  });
});

describe('memory: metrics', () => {
  const records = fixture('simulated') as SimulatedRecord[];
  const a100 = target('A100 80GB');

  function check(device: DeviceEstimate, name: string): void {
    for (const metric of ['allocated', 'reserved', 'device'] as const) {
      const { low, expected, high } = device[metric];
      assert.ok(0 < low && low <= expected && expected <= high, `${name}: ${metric}`);
    }
    assert.ok(device.allocated.expected <= device.reserved.expected, name);
    assert.ok(device.reserved.expected < device.device.expected, name);
    const highest = Math.max(...device.phases.map(({ bytes }) => bytes));
    assert.equal(device.allocated.expected, highest, `${name}: the phase that takes most`);
  }

  it('allocated is in reserved, reserved in what the device shows, for every kind of run', () => {
    // Every other record has a device: the checks are the same with and without it.
    someOf(records, 3).forEach((record, i) => {
      const result = estimatedAs({ ...fromSimulated(record), target: i % 2 === 0 ? null : a100 });
      assert.ok(result.ok, record.id);
      for (const device of result.estimate.devices) check(device, record.id);
    });
  });

  it('a live job takes a share beyond the replay, in training on text and as far as the device has it', () => {
    const image = { width: 224, height: 224, channels: 3 } as MemoryRun['batch']['image'];
    assert.equal(live(memoryRun(), 1000, Infinity), 70);
    assert.equal(live(memoryRun(), 1000, 1030), 30);
    assert.equal(live(memoryRun(), 1000, 900), 0);
    assert.equal(live(memoryRun({ task: 'infer' }), 1000, Infinity), 0);
    assert.equal(live(memoryRun({ image }), 1000, Infinity), 0);
  });

  it('without a target, nothing is said of fitting', () => {
    const [record] = records;
    assert.ok(record);
    const { run, model } = fromSimulated(record);
    const result = estimateRun(run, model, null);
    assert.ok(result.ok);
    const [device] = result.estimate.devices;
    assert.deepEqual([device?.verdict, device?.capacityBytes, device?.usableBytes], ['unknown', null, null]);
  });
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { RingHistory } from '../../../src/gpu/history';
import { blankSample } from '../../../src/gpu/sample';

const SECOND = 1000;

describe('gpu: the history of samples', () => {
  it('gives back what was added, oldest first, and what was not read as NaN', () => {
    const history = new RingHistory();
    history.add('local', [blankSample('GPU-1', 1000, { powerW: 61.23 })]);
    history.add('local', [blankSample('GPU-1', 2000, {})]);
    history.add('local', [blankSample('GPU-1', 3000, { powerW: 0 })]);
    const { timesMs, values } = history.series('local/GPU-1', 'powerW', 0);
    assert.deepEqual([...timesMs], [1000, 2000, 3000]);
    assert.deepEqual([...values], [61.23, NaN, 0]);
    assert.deepEqual([...history.series('local/GPU-1', 'tempC', 0).values], [NaN, NaN, NaN]);
    assert.deepEqual([...history.series('local/GPU-1', 'powerW', 2000).timesMs], [2000, 3000]);
  });

  it('tells hosts apart, and knows nothing of a device it never saw', () => {
    const history = new RingHistory();
    history.add('ssh:a', [blankSample('nvidia:0', 1000, { tempC: 40 })]);
    history.add('ssh:b', [blankSample('nvidia:0', 1000, { tempC: 50 })]);
    assert.deepEqual(history.devices(), ['ssh:a/nvidia:0', 'ssh:b/nvidia:0']);
    assert.deepEqual([...history.series('ssh:b/nvidia:0', 'tempC', 0).values], [50]);
    assert.equal(history.series('ssh:c/nvidia:0', 'tempC', 0).values.length, 0);
  });

  it('keeps an hour, whatever comes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 5 }), (ticks, seconds) => {
        const history = new RingHistory();
        for (let tick = 1; tick <= ticks; tick++) {
          history.add('local', [blankSample('GPU-1', tick * seconds * SECOND, { utilPct: tick % 101 })]);
        }
        const { timesMs, values } = history.series('local/GPU-1', 'utilPct', 0);
        const kept = Math.min(ticks, 3600, Math.floor(3600 / seconds) + 1);
        const from = ticks - kept + 1;
        assert.deepEqual(
          [...timesMs],
          Array.from({ length: kept }, (_, at) => (from + at) * seconds * SECOND),
        );
        assert.deepEqual(
          [...values],
          Array.from({ length: kept }, (_, at) => (from + at) % 101),
        );
      }),
      { numRuns: 15 },
    );
  });

  it('begins anew when the clock was set back, and counts no sample twice', () => {
    const history = new RingHistory();
    for (const at of [5000, 6000, 6000]) history.add('local', [blankSample('g', at, { tempC: at / 100 })]);
    assert.deepEqual([...history.series('local/g', 'tempC', 0).values], [50, 60]);
    history.add('local', [blankSample('g', 1000, { tempC: 10 })]);
    assert.deepEqual([...history.series('local/g', 'tempC', 0).timesMs], [1000]);
  });

  it('forgets devices that were last seen more than an hour ago', () => {
    const history = new RingHistory();
    history.add('local', [blankSample('old', 1000, { tempC: 1 })]);
    history.add('local', [blankSample('new', 3_700_000, { tempC: 1 })]);
    assert.deepEqual(history.devices(), ['local/new']);
  });
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { RingHistory } from '../../../src/gpu/history';
import { blankSample } from '../../../src/gpu/sample';
import type { Measure } from '../../../src/gpu/sample';
import { tries } from '../../tries';

const SECOND = 1000;
const ID = 'local/GPU-1';

const isRead = (value: number | null): value is number => value !== null;

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

  /** A tool's readings at a fixed interval in seconds, starting at time 0. */
  function filled(values: readonly (number | null)[], seconds: number): RingHistory {
    const history = new RingHistory();
    values.forEach((value, tick) => {
      const read = { memoryUsedMiB: value, memoryFreeMiB: value, utilPct: value };
      history.add('local', [blankSample('GPU-1', tick * seconds * SECOND, read)]);
    });
    return history;
  }

  const readings = fc.array(fc.option(fc.integer({ min: 0, max: 100 })), { minLength: 1, maxLength: 5000 });
  const paces = fc.integer({ min: 1, max: 7 });

  it('keeps ten minutes as they were read, whatever comes', () => {
    fc.assert(
      fc.property(readings, paces, (values, seconds) => {
        const end = (values.length - 1) * seconds * SECOND;
        const { timesMs, values: kept } = filled(values, seconds).series(ID, 'utilPct', end - 590 * SECOND);
        const from = values.length - kept.length;
        assert.deepEqual(
          [...timesMs],
          values.slice(from).map((_, at) => (from + at) * seconds * SECOND),
        );
        assert.deepEqual(
          [...kept],
          values.slice(from).map(value => value ?? NaN),
        );
        assert.ok(from === 0 || end - (timesMs[0] ?? 0) > (590 - seconds) * SECOND);
      }),
      { numRuns: tries(15) },
    );
  });

  it('keeps an hour, with its peaks, in a third of the room', () => {
    fc.assert(
      fc.property(readings, paces, (values, seconds) => {
        const history = filled(values, seconds);
        const { timesMs, values: kept } = history.series(ID, 'memoryUsedMiB', 0);
        const free = history.series(ID, 'memoryFreeMiB', 0);
        assert.deepEqual([...free.timesMs], [...timesMs]);
        assert.ok(timesMs.every((time, at) => at === 0 || time > (timesMs[at - 1] ?? 0)));
        assert.ok(kept.length <= 1202);
        // The first point may stand for readings that are up to one bucket older than the hour.
        const end = (values.length - 1) * seconds * SECOND;
        assert.ok((timesMs[0] ?? NaN) <= Math.max(0, end - 3600 * SECOND) + (seconds + 5) * SECOND);
        const first = Math.max(0, Math.ceil(((timesMs[0] ?? 0) - 4 * SECOND) / SECOND / seconds));
        const surely = values.slice(Math.ceil((timesMs[0] ?? 0) / SECOND / seconds)).filter(isRead);
        const maybe = values.slice(first).filter(isRead);
        const most = Math.max(...[...kept].filter(value => !Number.isNaN(value)));
        const least = Math.min(...[...free.values].filter(value => !Number.isNaN(value)));
        assert.ok(most >= Math.max(...surely) && most <= Math.max(...maybe));
        assert.ok(least <= Math.min(...surely) && least >= Math.min(...maybe));
      }),
      { numRuns: tries(15) },
    );
  });

  it('makes one reading of those that fall into five seconds: the highest memory, the least that was free, the mean of the load', () => {
    const history = new RingHistory();
    const rows = [
      { memoryUsedMiB: 100, memoryFreeMiB: 900, utilPct: 10, tempC: 50, powerW: null },
      { memoryUsedMiB: 700, memoryFreeMiB: 300, utilPct: 20, tempC: 60, powerW: null },
      { memoryUsedMiB: 200, memoryFreeMiB: 800, utilPct: null, tempC: 55, powerW: 7 },
    ];
    rows.forEach((row, at) => history.add('local', [blankSample('GPU-1', (10 + at) * SECOND, row)]));
    history.add('local', [blankSample('GPU-1', 700 * SECOND, { utilPct: 90 })]);
    const first = (measure: Measure) => [...history.series(ID, measure, 0).values];
    assert.deepEqual([...history.series(ID, 'utilPct', 0).timesMs], [12 * SECOND, 700 * SECOND]);
    assert.deepEqual(first('memoryUsedMiB'), [700, NaN]);
    assert.deepEqual(first('memoryFreeMiB'), [300, NaN]);
    assert.deepEqual(first('utilPct'), [15, 90]);
    assert.deepEqual(first('tempC'), [60, NaN]);
    assert.deepEqual(first('powerW'), [7, NaN]);
  });

  it('begins anew when the clock was set back, and counts no sample twice', () => {
    const history = new RingHistory();
    for (const at of [5000, 6000, 6000]) history.add('local', [blankSample('g', at, { tempC: at / 100 })]);
    assert.deepEqual([...history.series('local/g', 'tempC', 0).values], [50, 60]);
    history.add('local', [blankSample('g', 1000, { tempC: 10 })]);
    assert.deepEqual([...history.series('local/g', 'tempC', 0).timesMs], [1000]);
  });

  it('forgets devices not seen for more than an hour', () => {
    const history = new RingHistory();
    history.add('local', [blankSample('old', 1000, { tempC: 1 })]);
    history.add('local', [blankSample('new', 3_700_000, { tempC: 1 })]);
    assert.deepEqual(history.devices(), ['local/new']);
  });
});

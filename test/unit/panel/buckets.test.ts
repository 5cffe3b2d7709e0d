import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Buckets, bucketMs } from '../../../src/panel/page/buckets';
import type { Row } from '../../../src/panel/page/buckets';
import { tries } from '../../tries';

const MINUTE = 60_000;
/** A bucket of a five-minute window is two seconds. */
const WINDOW = 5 * MINUTE;

const row = (value: number, more: Partial<Row> = {}): Row => ({
  memoryUsedMiB: value,
  utilPct: value,
  tempC: value,
  powerW: value,
  ...more,
});

describe('panel: points of a chart', () => {
  it('are the maximum of memory and temperature, and the mean of load and power', () => {
    const buckets = new Buckets(WINDOW);
    buckets.add(10_000, row(40));
    buckets.add(10_500, row(70, { powerW: NaN }));
    buckets.add(11_000, row(10));
    buckets.add(12_000, row(5));
    assert.deepEqual(buckets.timesMs, [11_000, 12_000]);
    assert.deepEqual(buckets.columns, {
      memoryUsedMiB: [70, 5],
      utilPct: [40, 5],
      tempC: [70, 5],
      powerW: [25, 5],
    });
  });

  it('are null if nothing was read, and a later reading fills them', () => {
    const buckets = new Buckets(WINDOW);
    buckets.add(10_000, row(NaN));
    assert.deepEqual(buckets.columns.tempC, [null]);
    buckets.add(10_500, row(NaN, { tempC: 50 }));
    assert.deepEqual([buckets.columns.tempC, buckets.columns.utilPct], [[50], [null]]);
  });

  it('ignore readings that are not newer', () => {
    const buckets = new Buckets(WINDOW);
    for (const time of [10_000, 10_000, 4000]) buckets.add(time, row(time));
    assert.deepEqual(buckets.timesMs, [10_000]);
    assert.deepEqual(buckets.columns.utilPct, [10_000]);
  });

  it('continue from thinned history', () => {
    const [whole, first] = [new Buckets(WINDOW), new Buckets(WINDOW)];
    for (let at = 0; at < 40; at += 2) for (const each of [whole, first]) each.add(at * 1000, row(at));
    const second = new Buckets(WINDOW);
    second.load(first.timesMs, first.columns);
    for (let at = 40; at < 60; at += 2) for (const each of [whole, second]) each.add(at * 1000, row(at));
    assert.deepEqual([second.timesMs, second.columns], [whole.timesMs, whole.columns]);
  });

  it('are few, in order, cover the window, and keep the peak', () => {
    const steps = fc.array(fc.integer({ min: 1, max: 20_000 }), { minLength: 1, maxLength: 600 });
    fc.assert(
      fc.property(steps, fc.constantFrom(MINUTE, WINDOW, 60 * MINUTE), (gaps, windowMs) => {
        const buckets = new Buckets(windowMs);
        let now = 0;
        const all = gaps.map((gap, at) => {
          now += gap;
          const value = (at * 7919) % 1000;
          buckets.add(now, row(value));
          return { time: now, value };
        });
        const { timesMs } = buckets;
        assert.ok(timesMs.length <= windowMs / bucketMs(windowMs) + 3, `${timesMs.length} points`);
        assert.ok(timesMs.every((time, at) => at === 0 || time > (timesMs[at - 1] ?? 0)));
        assert.ok((timesMs[1] ?? now) >= now - windowMs);
        const seen = all.filter(({ time }) => time >= now - windowMs).map(({ value }) => value);
        assert.ok(Math.max(...buckets.columns.tempC.map(value => value ?? 0)) >= Math.max(...seen));
      }),
      { numRuns: tries(60) },
    );
  });
});

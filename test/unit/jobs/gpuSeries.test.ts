import assert from 'node:assert/strict';
import type { JobSample } from '../../../src/jobs/samples';
import { gpuSeriesOf } from '../../../src/jobs/gpuSeries';

const sample = (
  timeMs: number,
  ...gpus: readonly (readonly [held: number | null, used: number | null, load: number | null])[]
): JobSample => ({
  timeMs,
  gpus: gpus.map(([heldBytes, usedBytes, utilPct], i) => {
    return { uuid: `GPU-${i}`, heldBytes, usedBytes, utilPct, tempC: null, powerW: null };
  }),
});

describe('series of a job’s GPUs', () => {
  it('are the memory of the fullest one and their mean utilization', () => {
    const series = gpuSeriesOf([
      sample(1, [10, 12, 20], [30, 31, 40]),
      sample(2, [40, 41, null], [null, 5, 60]),
    ]);
    assert.deepEqual(series, { timesMs: [1, 2], memoryBytes: [30, 40], memoryOf: 'job', utilPct: [30, 60] });
  });

  it('are the total use if nobody can tell whose it is', () => {
    const ofAll = gpuSeriesOf([sample(1, [null, 12, null])]);
    assert.deepEqual([ofAll?.memoryBytes, ofAll?.memoryOf], [[12], 'all']);
    // Before its processes used the GPU, memory held by others is not its own.
    assert.deepEqual(gpuSeriesOf([sample(1, [null, 12, 5]), sample(2, [7, 19, 5])])?.memoryBytes, [null, 7]);
  });

  it('have no more points than are visible, including the peak', () => {
    const many = Array.from({ length: 3601 }, (_, i) => sample(i, [i === 1234 ? 99 : 1, 1, 50]));
    const series = gpuSeriesOf(many);
    assert.ok(series && series.timesMs.length <= 401);
    assert.equal(Math.max(...series.memoryBytes.map(value => value ?? 0)), 99);
    assert.deepEqual([series.timesMs.at(-1), series.utilPct.every(value => value === 50)], [3600, true]);
  });

  it('of an array are the fullest of its tasks at each time', () => {
    const of = (task: string, one: JobSample): JobSample => ({ ...one, task });
    const series = gpuSeriesOf([
      of('1', sample(20_001, [10, 12, 20])),
      of('1', sample(32_000, [11, 12, 20])),
      of('2', sample(24_000, [30, 31, 40])),
    ]);
    assert.deepEqual(
      [series?.timesMs, series?.memoryBytes],
      [
        [24_000, 32_000],
        [30, 11],
      ],
    );
  });

  it('are empty if its GPUs were never seen', () => assert.equal(gpuSeriesOf([]), null));
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { GpuSight } from '../../../src/core/hardware/sight';
import type { JobGpus } from '../../../src/jobs/job';
import { chooseGpus, compete } from '../../../src/jobs/keeper/choose';
import type { Holder } from '../../../src/jobs/keeper/choose';

const GIB = 2 ** 30;
const gpu = (index: number, freeGiB: number, totalGiB = 80) => ({
  uuid: `GPU-${index}`,
  index,
  name: 'A100',
  vendor: 'nvidia',
  totalBytes: totalGiB * GIB,
  freeBytes: freeGiB * GIB,
  usedBytes: null,
  utilPct: null,
  tempC: null,
  powerW: null,
});
const sight = (...free: readonly number[]): GpuSight => ({
  gpus: free.map((one, index) => gpu(index, one)),
  processes: [{ pid: 7, uuid: 'GPU-0', name: 'python', bytes: 70 * GIB }],
  source: 'nvidia-smi',
});
const asks = (count: number, needGiB: number | null, ...uuids: readonly string[]): JobGpus => ({
  count,
  uuids,
  needBytes: needGiB === null ? null : needGiB * GIB,
});
const holder = (uuid: string, needGiB: number | null, heldGiB = 0): Holder => ({
  id: 'other',
  gpus: asks(1, needGiB, uuid),
  heldBytes: { [uuid]: heldGiB * GIB },
});
const given = (...args: Parameters<typeof chooseGpus>): readonly string[] | string => {
  const choice = chooseGpus(...args);
  return choice.kind === 'given' ? choice.gpus.map(({ uuid }) => uuid) : choice.why;
};

describe('GPUs for a queued job', () => {
  it('are those with the most free memory', () => {
    assert.deepEqual(given(asks(2, 20), sight(10, 80, 40), []), ['GPU-1', 'GPU-2']);
  });

  it('exclude those promised to another job that has not filled them yet', () => {
    assert.deepEqual(given(asks(1, 30), sight(80, 60), [holder('GPU-0', 60)]), ['GPU-1']);
    // The process list may be newer than the free amount: held memory is not free.
    const stale = { ...sight(80), processes: [{ pid: 7, uuid: 'GPU-0', name: null, bytes: 55 * GIB }] };
    assert.match(String(given(asks(1, 30), stale, [holder('GPU-0', 60, 55)])), /at most 20\.0 GB is free/);
    // Once it holds its promised memory, the rest is free as the tool shows it.
    const held = { ...sight(20, 10), processes: [] };
    assert.deepEqual(given(asks(1, 15), held, [holder('GPU-0', 60, 60)]), ['GPU-0']);
  });

  it("are exclusive if the job's need is unknown", () => {
    assert.deepEqual(given(asks(1, null), sight(80, 70), [holder('GPU-0', 1, 1)]), ['GPU-1']);
    assert.match(
      String(given(asks(1, 10), sight(80), [holder('GPU-0', null)])),
      /waits for 10\.0 GB on a GPU/,
    );
    // It was started although it does not fit: then at least alone.
    assert.deepEqual(given(asks(1, 100), sight(80, 79), [holder('GPU-0', 1, 1)]), ['GPU-1']);
  });

  it('are waited for with a sentence about what is missing and who holds it', () => {
    assert.equal(
      given(asks(1, 30), sight(10), []),
      'waits for 30.0 GB on a GPU: at most 10.0 GB is free, on GPU 0 (python, 7, uses 70.0 GB)',
    );
  });

  it('are refused at once if waiting cannot help', () => {
    assert.equal(chooseGpus(asks(4, 1), sight(80, 80), []).kind, 'never');
    assert.equal(chooseGpus(asks(1, 1, 'GPU-9'), sight(80), []).kind, 'never');
  });

  it('compete only if both jobs may get the same GPU', () => {
    assert.equal(compete(asks(1, 1, 'GPU-0'), asks(1, 1, 'GPU-1')), false);
    assert.equal(compete(asks(1, 1), asks(1, 1, 'GPU-1')), true);
  });

  it('are never promised twice', () => {
    const needs = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 12 });
    fc.assert(
      fc.property(needs, fc.integer({ min: 1, max: 3 }), (jobs, count) => {
        const seen: GpuSight = { ...sight(...Array.from({ length: count }, () => 80)), processes: [] };
        const holders: Holder[] = [];
        for (const [i, need] of jobs.entries()) {
          const choice = chooseGpus(asks(1, need), seen, holders);
          if (choice.kind !== 'given') continue;
          const uuids = choice.gpus.map(({ uuid }) => uuid);
          holders.push({ id: String(i), gpus: asks(1, need, ...uuids), heldBytes: {} });
        }
        for (const { uuid } of seen.gpus) {
          const here = holders.filter(({ gpus }) => gpus.uuids.includes(uuid));
          const sum = here.reduce((all, { gpus }) => all + (gpus.needBytes ?? 0), 0);
          assert.ok(sum <= 80 * GIB);
        }
      }),
    );
  });
});

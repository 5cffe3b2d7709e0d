import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  binOf,
  cutAt,
  LengthCounts,
  longestOf,
  meanOf,
  percentile,
  shareAbove,
} from '../../../src/core/lengths/counts';
import type { Bins } from '../../../src/core/lengths/counts';

const lengths = fc.array(fc.integer({ min: 1, max: 200_000 }), { minLength: 1, maxLength: 200 });

function counted(all: readonly number[]): { readonly counts: LengthCounts; readonly bins: Bins } {
  const counts = new LengthCounts();
  for (const length of all) counts.add(length);
  return { counts, bins: counts.sorted() };
}

describe('lengths: counts', () => {
  it('have bins that hold their lengths and are 1.6 % wide at most', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000_000 }), length => {
        const bin = binOf(length);
        assert.ok(bin >= length && bin - length <= length / 64, `${length} in ${bin}`);
        assert.equal(binOf(bin), bin);
      }),
    );
  });

  it('know the number, the sum and the longest exactly', () => {
    fc.assert(
      fc.property(lengths, all => {
        const { counts } = counted(all);
        assert.equal(counts.count, all.length);
        assert.equal(
          counts.sum,
          all.reduce((sum, n) => sum + n, 0),
        );
        assert.equal(counts.longest, Math.max(...all));
      }),
    );
  });

  it('give percentiles that so many rows do not exceed, as exactly as bins are wide', () => {
    fc.assert(
      fc.property(lengths, fc.double({ min: 0.01, max: 1, noNaN: true }), (all, share) => {
        const sorted = all.toSorted((a, b) => a - b);
        const exact = sorted[Math.ceil(share * all.length) - 1] ?? 0;
        const found = percentile(counted(all).bins, share);
        assert.ok(found >= exact && found <= exact * (1 + 1 / 64), `${found} for ${exact}`);
      }),
    );
  });

  it('say exactly which share is above a limit that is the edge of a bin', () => {
    fc.assert(
      fc.property(lengths, fc.constantFrom(64, 512, 1024, 2048, 3072, 4096, 8192), (all, limit) => {
        const exact = all.filter(n => n > limit).length / all.length;
        assert.ok(Math.abs(shareAbove(counted(all).bins, limit) - exact) < 1e-9);
      }),
    );
  });

  it('expect of one row its mean, and of more rows more, up to the longest', () => {
    fc.assert(
      fc.property(lengths, all => {
        const { bins } = counted(all);
        const expected = [1, 2, 8, 64].map(rows => longestOf(bins, rows));
        assert.ok(Math.abs((expected[0] ?? 0) - meanOf(bins)) < 1e-6 * meanOf(bins));
        assert.deepEqual(
          expected.toSorted((a, b) => a - b),
          expected,
        );
        assert.ok((expected.at(-1) ?? 0) <= (bins.at(-1)?.[0] ?? 0) + 1e-6);
      }),
    );
  });

  it('expect the longest of two of two lengths three times in four', () => {
    assert.equal(longestOf(counted([10, 20]).bins, 2), 0.25 * 10 + 0.75 * 20);
  });

  it('are cut at a limit without losing rows', () => {
    assert.deepEqual(cutAt(counted([10, 100, 120]).bins, 50), [
      [10, 1],
      [50, 2],
    ]);
    assert.deepEqual(cutAt(counted([10]).bins, 50), [[10, 1]]);
  });
});

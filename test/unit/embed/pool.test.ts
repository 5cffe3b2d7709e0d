import assert from 'node:assert/strict';
import { finished, pooled } from '../../../src/embed/engine/pool';
import type { Pooling } from '../../../src/embed/folder/pooling';

/** Two texts of three and two tokens, vectors of two numbers; values behind a text's end must not count. */
const tokens = {
  data: Float32Array.from([1, 2, 3, 4, 5, 9, 10, 20, 30, 60, 777, 777]),
  rows: 2,
  width: 3,
  size: 2,
  lengths: Int32Array.of(3, 2),
  skipped: 0,
};

describe('embed: pooling', () => {
  const cases: readonly (readonly [Pooling, readonly number[]])[] = [
    ['cls', [1, 2, 10, 20]],
    ['lasttoken', [5, 9, 30, 60]],
    ['mean', [3, 5, 20, 40]],
    ['max', [5, 9, 30, 60]],
    ['mean_sqrt_len_tokens', [9 / Math.sqrt(3), 15 / Math.sqrt(3), 40 / Math.sqrt(2), 80 / Math.sqrt(2)]],
    ['weightedmean', [22 / 6, 37 / 6, 70 / 3, 140 / 3]],
  ];
  for (const [pooling, expected] of cases) {
    it(`${pooling} uses only the tokens of the text`, () => {
      const got = pooled(tokens, [pooling]);
      for (const [i, value] of expected.entries()) {
        assert.ok(Math.abs((got[i] ?? 0) - value) < 1e-5, `${i}: ${String(got[i])}`);
      }
    });
  }

  it('concatenates several poolings, and skips a prompt', () => {
    assert.deepEqual([...pooled({ ...tokens, skipped: 1 }, ['cls', 'mean'])], [1, 2, 4, 6.5, 10, 20, 30, 60]);
  });

  it('keeps leading components, normalizes vectors, and leaves zero vectors', () => {
    assert.deepEqual(
      [...finished(Float32Array.of(3, 4, 9, 0, 0, 1), 3, 2, true)].map(value => Math.round(value * 10)),
      [6, 8, 0, 0],
    );
    assert.deepEqual([...finished(Float32Array.of(3, 4), 2, 2, false)], [3, 4]);
  });
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { rangeOf } from '../../../src/embed/run/split';

describe('embed: parts of an input', () => {
  it('of 250,010 rows over 16 are ten of 15,626 and six of 15,625', () => {
    const ranges = Array.from({ length: 16 }, (_, index) => rangeOf(250_010, { index, of: 16 }));
    assert.deepEqual(
      ranges.map(({ rows }) => rows),
      [...Array<number>(10).fill(15_626), ...Array<number>(6).fill(15_625)],
    );
  });

  it('follow one another and leave nothing out', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.integer({ min: 1, max: 300 }), (rows, of) => {
        let next = 0;
        for (let index = 0; index < of; index++) {
          const range = rangeOf(rows, { index, of });
          assert.equal(range.first, next);
          next += range.rows;
        }
        assert.equal(next, rows);
      }),
    );
  });
});

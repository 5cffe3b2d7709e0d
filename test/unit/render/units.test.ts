import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  formatBytes,
  formatCapacity,
  formatCount,
  formatDelta,
  formatRange,
  groupDigits,
} from '../../../src/core/units';

const GIB = 2 ** 30;
const MIB = 2 ** 20;

describe('amounts as text', () => {
  const cases: [got: string | null, expected: string | null][] = [
    [formatBytes(21.4 * GIB), '21.4 GB'],
    [formatBytes(812 * MIB), '812 MB'],
    [formatBytes(3.25 * MIB), '3.3 MB'],
    [formatBytes(0), '0.0 GB'],
    [formatBytes(405.3 * GIB), '405 GB'],
    [formatCapacity(24564 * MIB), '24 GB'],
    [formatCapacity(81559 * MIB), '80 GB'],
    [formatCapacity(22.5 * GIB), '22.5 GB'],
    [formatDelta(-6.1 * GIB), '−6.1 GB'],
    [formatDelta(512 * MIB), '+512 MB'],
    [formatDelta(1000), null],
    [formatRange(19.8 * GIB, 23 * GIB), '19.8–23.0 GB'],
    [formatRange(700 * MIB, 812 * MIB), '700–812 MB'],
    [formatCount(8_030_261_248), '8.03 B'],
    [formatCount(134_515_008), '135 M'],
    [formatCount(4096), '4,096'],
    [groupDigits(1234567.5), '1,234,567.5'],
  ];
  for (const [got, expected] of cases) it(expected ?? 'no change', () => assert.equal(got, expected));

  it('never shows an amount without its unit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 45 }), bytes =>
        assert.match(formatBytes(bytes), /^\d[\d.]* (?:GB|MB|kB)$/),
      ),
    );
  });
});

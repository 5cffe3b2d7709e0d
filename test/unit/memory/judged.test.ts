import assert from 'node:assert/strict';
import { judged } from '../../../src/core/memory/estimate';
import type { DeviceEstimate } from '../../../src/core/memory/estimate';

const around = (expected: number) => ({ low: expected * 0.8, expected, high: expected * 1.2 });

/** 20 to be there at once with a context of 1, and what the allocator holds beyond it. */
const device = (slack: number, usableBytes: number | null): DeviceEstimate => ({
  name: 'a GPU',
  capacityBytes: usableBytes,
  usableBytes,
  device: around(20 + slack),
  reserved: around(19 + slack),
  allocated: around(19),
  verdict: 'unknown',
  peakPhase: 'backward',
  phases: [],
  terms: [
    { term: 'allocator slack', bytes: slack, formula: '', from: [] },
    { term: 'cuda context', bytes: 1, formula: '', from: [] },
  ],
});

describe('what a device has room for', () => {
  it('is never less than a run shows that only just fits: the allocator gives back', () => {
    const { verdict, device: shown, releasedBytes, terms } = judged(device(6, 24));
    assert.deepEqual([verdict, shown.expected, releasedBytes, terms[0]?.bytes], ['tight', 24, 2, 4]);
    assert.ok(shown.low <= 24 && shown.high > 24);
  });

  it('is too little where what has to be there at once is more', () => {
    const { verdict, device: shown } = judged(device(6, 19));
    assert.deepEqual([verdict, shown.expected], ['exceeds', 26]);
  });

  it('changes nothing where there is room, or no GPU', () => {
    assert.deepEqual(judged(device(1, 40)), { ...device(1, 40), verdict: 'fits' });
    assert.deepEqual(judged(device(1, null)), device(1, null));
  });
});

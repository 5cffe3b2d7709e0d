import assert from 'node:assert/strict';
import { undecidedByLength } from '../../../src/core/memory/lengthDoubt';

const GB = 2 ** 30;

/** A device with 10 GB of weights and what rows take, of 24 GB. */
function doubt(rows: number, origin: string, atMost = true, weights = 10): boolean {
  const term = (name: string, size: number) => ({ term: name, bytes: size * GB });
  const device = {
    verdict: weights + rows + 1 > 24 ? 'exceeds' : 'fits',
    usableBytes: 24 * GB,
    allocated: { expected: (weights + rows) * GB },
    terms: [
      term('weights', weights),
      term('activations', rows - 2),
      term('logits and loss', 2),
      term('cuda context', 1),
    ],
  };
  const run = { quantities: { seqLen: { value: 2048, origin: { kind: origin } } } };
  const plan = { memoryRun: { task: 'train', batch: { atMost } } };
  return undecidedByLength(run as never, plan as never, { devices: [device] } as never);
}

describe('memory: rows whose limit no file states', () => {
  it('decide nothing alone: shorter ones may fit', () => {
    assert.equal(doubt(20, 'default'), true);
    assert.equal(doubt(5, 'default'), false, 'it fits');
    assert.equal(doubt(20, 'file'), false, 'the limit is stated');
    assert.equal(doubt(20, 'default', false), false, 'all rows are that long');
    assert.equal(doubt(20, 'default', true, 30), false, 'no row is short enough');
  });
});

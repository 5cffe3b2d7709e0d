import assert from 'node:assert/strict';
import fc from 'fast-check';
import { editDistance, meantBy } from '../../../src/core/text/editDistance';

describe('typos', () => {
  it('counts letters changed, added, dropped and swapped', () => {
    assert.equal(editDistance('batch', 'batch', 2), 0);
    assert.equal(editDistance('btach', 'batch', 2), 1);
    assert.equal(editDistance('bach', 'batch', 2), 1);
    assert.equal(editDistance('batches', 'batch', 2), 2);
    assert.equal(editDistance('entirely', 'different', 2), 3);
  });

  it('finds the one word that is meant', () => {
    const known = ['micro_batch_size', 'adapter', 'load_in_4bit', 'load_in_8bit'];
    assert.equal(meantBy('micro_bach_size', known), 'micro_batch_size');
    assert.equal(meantBy('micro_batch_sizes', known), 'micro_batch_size');
    assert.equal(meantBy('adaptor', known), 'adapter');
  });

  it('does not guess between two, in short words, or from afar', () => {
    assert.equal(meantBy('load_in_xbit', ['load_in_4bit', 'load_in_8bit']), null);
    assert.equal(meantBy('tf3', ['tf32', 'bf16']), null);
    assert.equal(meantBy('adam_eps', ['adam_epsilon']), null);
  });

  it('is a distance', () => {
    const word = fc.string({ maxLength: 8 });
    fc.assert(
      fc.property(word, word, (a, b) => {
        const there = editDistance(a, b, 9);
        assert.equal(there, editDistance(b, a, 9));
        assert.equal(there === 0, a === b);
        assert.ok(there <= Math.max(a.length, b.length));
      }),
    );
  });
});

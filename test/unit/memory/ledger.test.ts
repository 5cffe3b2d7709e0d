import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Ledger, roundedBytes } from '../../../src/core/memory/ledger';
import type { Storage } from '../../../src/core/memory/ledger';
import { ACTIVATIONS, GRADIENTS, LOGITS, TERMS } from '../../../src/core/memory/terms';

const KB = 1024;

describe('memory: the ledger', () => {
  it('rounds up as the caching allocator does', () => {
    assert.deepEqual([1, 512, 513, 0].map(roundedBytes), [512, 512, 1024, 0]);
  });

  it('frees a block with its last owner', () => {
    const ledger = new Ledger();
    const block = ledger.allocate(KB, ACTIVATIONS);
    block.owners += 1;
    ledger.release(block);
    assert.equal(ledger.live, KB);
    ledger.release(block);
    assert.equal(ledger.live, 0);
  });

  it('says what the largest amount was for, phase by phase', () => {
    const ledger = new Ledger();
    const first = ledger.allocate(KB, ACTIVATIONS);
    const second = ledger.allocate(4 * KB, LOGITS);
    ledger.release(second);
    ledger.allocate(KB, GRADIENTS);
    const peak = ledger.takePeak();
    assert.equal(peak.bytes, 5 * KB);
    assert.deepEqual([peak.terms[ACTIVATIONS], peak.terms[LOGITS], peak.terms[GRADIENTS]], [KB, 4 * KB, 0]);
    ledger.release(first);
    const next = ledger.takePeak();
    assert.deepEqual([next.bytes, next.terms[LOGITS]], [2 * KB, 0]);
  });

  it('lets a block change its purpose', () => {
    const ledger = new Ledger();
    const block = ledger.allocate(KB, ACTIVATIONS);
    ledger.rename(block, GRADIENTS);
    ledger.release(block);
    assert.deepEqual(
      [...ledger.terms],
      TERMS.map(() => 0),
    );
  });
});

/** One repetition: allocates, keeps some of it, frees some blocks that others have kept. */
interface Round {
  readonly sizes: readonly number[];
  readonly kept: readonly boolean[];
}

const round: fc.Arbitrary<Round> = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 9000 }), fc.boolean()), { minLength: 1, maxLength: 6 })
  .map(blocks => ({ sizes: blocks.map(([size]) => size), kept: blocks.map(([, keep]) => keep) }));

/** Forward allocates blocks and keeps some of them; backward frees those and allocates temporaries. */
function forwards(ledger: Ledger, { sizes, kept }: Round): Storage[] {
  const blocks = sizes.map(size => ledger.allocate(size, ACTIVATIONS));
  return blocks.filter((block, i) => {
    if (kept[i] === true) return true;
    ledger.release(block);
    return false;
  });
}

function backwards(ledger: Ledger, blocks: readonly Storage[], { sizes }: Round): void {
  for (const block of blocks) {
    const temporary = ledger.allocate(sizes[0] ?? 1, GRADIENTS);
    ledger.release(block);
    ledger.release(temporary);
  }
}

describe('memory: a repetition', () => {
  it('takes what as many rounds take one by one', () => {
    fc.assert(
      fc.property(round, fc.integer({ min: 2, max: 40 }), (what, times) => {
        const one = new Ledger();
        one.begin(times);
        const kept = forwards(one, what);
        one.end([], []);
        const many = new Ledger();
        const each = Array.from({ length: times }, () => forwards(many, what));
        assert.deepEqual([one.live, one.takePeak().bytes], [many.live, many.takePeak().bytes]);
        one.begin(times);
        backwards(one, kept, what);
        one.end([], []);
        for (const blocks of each.reverse()) backwards(many, blocks, what);
        assert.deepEqual([one.live, one.takePeak().bytes], [many.live, many.takePeak().bytes]);
        assert.equal(one.live, 0);
      }),
    );
  });

  it('hands a block from round to round', () => {
    const ledger = new Ledger();
    const input = ledger.allocate(KB, ACTIVATIONS);
    ledger.begin(5);
    const output = ledger.allocate(KB, ACTIVATIONS);
    ledger.release(input);
    ledger.end([input], [output]);
    assert.deepEqual([ledger.live, ledger.takePeak().bytes], [KB, 2 * KB]);
  });

  it('counts an input that every round keeps', () => {
    const ledger = new Ledger();
    const input = ledger.allocate(KB, ACTIVATIONS);
    ledger.begin(5);
    const output = ledger.allocate(KB, ACTIVATIONS);
    ledger.end([input], [output]);
    assert.equal(ledger.live, 6 * KB);
  });
});

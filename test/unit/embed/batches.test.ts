import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ALONE_FROM_TOKENS, batchesOf } from '../../../src/embed/engine/batches';
import { checkNatives } from '../../../src/embed/engine/natives';
import { EmbedError } from '../../../src/embed/errors';
import { rangeOf } from '../../../src/embed/run/windows';

describe('embed: batches', () => {
  it('contain each text once, grouped by length, as many as fit', () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 600 }), { maxLength: 200 });
    fc.assert(
      fc.property(lengths, fc.integer({ min: 1, max: 2000 }), (texts, budget) => {
        const batches = batchesOf(texts, budget, { rows: Infinity, aloneFrom: Infinity });
        const places = batches.flatMap(batch => batch.places);
        assert.deepEqual(
          [...places].sort((a, b) => a - b),
          texts.map((_, i) => i),
        );
        for (const { places: rows, width } of batches) {
          assert.equal(width, Math.max(...rows.map(place => texts[place] ?? 0)));
          assert.ok(rows.length === 1 || rows.length * width <= budget);
        }
        const inOrder = places.map(place => texts[place] ?? 0);
        assert.deepEqual(
          inOrder,
          [...inOrder].sort((a, b) => b - a),
        );
      }),
    );
  });

  it('contain one text if a vector depends on its neighbors', () => {
    const batches = batchesOf([3, 3, 3], 512, { rows: 1, aloneFrom: Infinity });
    assert.ok(batches.every(({ places }) => places.length === 1));
  });

  it('never pad a long text on a CPU', () => {
    const lengths = fc.array(fc.integer({ min: 100, max: 300 }), { maxLength: 200 });
    fc.assert(
      fc.property(lengths, texts => {
        for (const { places, width } of batchesOf(texts, 2048, {
          rows: Infinity,
          aloneFrom: ALONE_FROM_TOKENS,
        })) {
          if (width >= ALONE_FROM_TOKENS) assert.equal(places.length, 1);
        }
      }),
    );
  });
});

describe('embed: parts of an input', () => {
  it('split 250,010 rows over 16 into ten of 15,626 and six of 15,625', () => {
    const ranges = Array.from({ length: 16 }, (_, index) => rangeOf(250_010, { index, of: 16 }));
    assert.deepEqual(
      ranges.map(({ rows }) => rows),
      [...Array<number>(10).fill(15_626), ...Array<number>(6).fill(15_625)],
    );
  });

  it('are consecutive and leave nothing out', () => {
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

describe("the engine's native code", () => {
  it('is checked before anything is fetched, and its error names Python', () => {
    checkNatives();
    const missing = (name: string): string => {
      if (name === 'tokenizers') throw new Error('Cannot find module');
      return name;
    };
    assert.throws(
      () => checkNatives(missing),
      (error: unknown) =>
        error instanceof EmbedError &&
        error.fault === 'engine' &&
        /tokenizers could not be loaded .*--worker python\.$/.test(error.message),
    );
  });
});

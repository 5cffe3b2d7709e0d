import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ALONE_FROM, batchesOf } from '../../../src/embed/engine/batches';

describe('embed: batches', () => {
  it('have each text once, as many as fit, those of like length together', () => {
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

  it('are of one text where a vector depends on its neighbours', () => {
    const batches = batchesOf([3, 3, 3], 512, { rows: 1, aloneFrom: Infinity });
    assert.ok(batches.every(({ places }) => places.length === 1));
  });

  it('never fill up a long text on a CPU', () => {
    const lengths = fc.array(fc.integer({ min: 100, max: 300 }), { maxLength: 200 });
    fc.assert(
      fc.property(lengths, texts => {
        for (const { places, width } of batchesOf(texts, 2048, { rows: Infinity, aloneFrom: ALONE_FROM })) {
          if (width >= ALONE_FROM) assert.equal(places.length, 1);
        }
      }),
    );
  });
});

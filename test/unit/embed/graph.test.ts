import assert from 'node:assert/strict';
import { blockWeights } from '../../../src/embed/graph/decode';
import { encodeModel } from '../../../src/embed/graph/encode';
import { fromHalf, roundHalfEven, toHalf } from '../../../src/embed/graph/float16';
import { Graph } from '../../../src/embed/graph/graph';
import { blocks } from '../../../src/embed/graph/weights';
import { numbers } from './tinyModel';

describe('embed: half-precision numbers', () => {
  it('come back as they were, all of them', () => {
    for (let half = 0; half < 0x10000; half++) {
      const value = fromHalf(half);
      if (!Number.isNaN(value)) assert.equal(toHalf(value), half, String(half));
    }
  });

  it('are the nearest, ties to even', () => {
    assert.equal(fromHalf(toHalf(1 + 2 ** -11)), 1);
    assert.equal(fromHalf(toHalf(1 + 3 * 2 ** -11)), 1 + 2 ** -9);
    assert.equal(fromHalf(toHalf(65_520)), Infinity);
    assert.deepEqual([0.5, 1.5, 2.5, -0.5, -1.5, 2.4].map(roundHalfEven), [0, 2, 2, 0, -2, 2]);
  });
});

describe('embed: weights in blocks', () => {
  it('come back from the file within half a step of their block, in torch’s layout', () => {
    const next = numbers(3);
    const [inputs, outputs] = [96, 64];
    const matrix = Float32Array.from({ length: inputs * outputs }, next);
    const table = Float32Array.from({ length: 200 * 32 }, next);
    const graph = new Graph();
    blocks.product(graph, 'x', 'layer.weight', { shape: [inputs, outputs], data: matrix });
    blocks.table(graph, 'embeddings.words', { shape: [200, 32], data: table });
    const read = blockWeights(encodeModel(graph, [], []), 'test');
    const [layer, words] = [read('layer.weight'), read('embeddings.words')];
    assert.deepEqual(
      [layer.shape, words.shape],
      [
        [outputs, inputs],
        [200, 32],
      ],
    );
    const step = 0.5 / 127 / 2 + 1e-3;
    for (let row = 0; row < inputs; row++) {
      for (let column = 0; column < outputs; column++) {
        const difference = (layer.data[column * inputs + row] ?? 9) - (matrix[row * outputs + column] ?? 0);
        assert.ok(Math.abs(difference) < step);
      }
    }
    for (const [i, value] of table.entries()) assert.ok(Math.abs((words.data[i] ?? 9) - value) < step);
  });
});

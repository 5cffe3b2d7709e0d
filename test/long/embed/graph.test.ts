import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ort from 'onnxruntime-node';
import { encodedBert } from '../../../src/embed/graph/bert';
import { blockWeights } from '../../../src/embed/graph/decode';
import { encodeModel, encodeModelWithData } from '../../../src/embed/graph/encode';
import { fromHalf, roundHalfEven, toHalf } from '../../../src/embed/graph/float16';
import { flatBert } from '../../../src/embed/graph/flatBert';
import { Graph } from '../../../src/embed/graph/graph';
import { blocks, plain, rows } from '../../../src/embed/graph/weights';
import { workFolder } from '../../unit/embed/folders';
import { numbers, tinyBert, tinyOnnx } from '../../unit/embed/tinyModel';

describe('embed: half-precision numbers', () => {
  it('survive a round trip, all of them', () => {
    for (let half = 0; half < 0x10000; half++) {
      const value = fromHalf(half);
      if (!Number.isNaN(value)) assert.equal(toHalf(value), half, String(half));
    }
  });

  it('are rounded to the nearest, ties to even', () => {
    assert.equal(fromHalf(toHalf(1 + 2 ** -11)), 1);
    assert.equal(fromHalf(toHalf(1 + 3 * 2 ** -11)), 1 + 2 ** -9);
    assert.equal(fromHalf(toHalf(65_520)), Infinity);
    assert.deepEqual([0.5, 1.5, 2.5, -0.5, -1.5, 2.4].map(roundHalfEven), [0, 2, 2, 0, -2, 2]);
  });
});

describe('embed: weights in blocks', () => {
  it("survive a round trip within half a step of their block, in torch's layout", () => {
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

describe('embed: external weights', () => {
  it('are page-aligned, and give the same numbers', async () => {
    const work = workFolder();
    const next = numbers(5);
    const graph = new Graph();
    let x = 'x';
    for (const name of ['first', 'second']) {
      const data = Float32Array.from({ length: 64 * 64 }, next);
      x = plain.product(graph, x, name, { shape: [64, 64], data });
    }
    graph.add('Add', [x, graph.number('small', 0.5)], {}, 'y');
    const port = (name: string) => ({ name, element: 'float32' as const, shape: [2, 64] });
    const ports = [[port('x')], [port('y')]] as const;
    const { model, data } = encodeModelWithData(graph, ...ports, 'model.data');
    assert.equal(data.bytes.length, 65_536 + 64 * 64 * 4);
    assert.ok(model.length < 4096);
    try {
      const path = join(work.path, 'model.onnx');
      writeFileSync(path, model);
      writeFileSync(join(work.path, data.name), data.bytes);
      const input = new ort.Tensor('float32', Float32Array.from({ length: 128 }, next), [2, 64]);
      const inOne = await ort.InferenceSession.create(encodeModel(graph, ...ports));
      const beside = await ort.InferenceSession.create(path);
      const [one, two] = await Promise.all([inOne.run({ x: input }), beside.run({ x: input })]);
      assert.deepEqual(two['y']?.data, one['y']?.data);
    } finally {
      work.remove();
    }
  });
});

describe('embed: the flat encoder', () => {
  const whole = (shape: readonly number[], value: (i: number) => number) => {
    const count = shape.reduce((product, size) => product * size, 1);
    return new ort.Tensor(
      'int64',
      BigInt64Array.from({ length: count }, (_, i) => BigInt(value(i))),
      shape,
    );
  };

  /** Vectors of every token, of `rows` texts whose last has only `last` tokens. */
  async function states(model: Uint8Array, rows: number, width: number, last: number) {
    const session = await ort.InferenceSession.create(model);
    const shape = [rows, width];
    const isThere = (i: number): boolean => i < (rows - 1) * width + last;
    const feeds = {
      input_ids: whole(shape, i => (isThere(i) ? 4 + ((i * 7) % 15) : 0)),
      attention_mask: whole(shape, i => Number(isThere(i))),
      token_type_ids: whole(shape, () => 0),
    };
    const { last_hidden_state: state } = await session.run(feeds);
    assert.deepEqual(state?.dims, [rows, width, 32]);
    return Array.from(state.data as Float32Array).slice(0, ((rows - 1) * width + last) * 32);
  }

  const flat = (unmaskedFrom: number): Uint8Array => encodedBert(flatBert(tinyBert(1, rows), unmaskedFrom));

  for (const [what, last] of [
    ['full', 12],
    ['filled up', 5],
  ] as const) {
    it(`gives the numbers of the plain encoder for texts that are ${what}`, async () => {
      const expected = await states(tinyOnnx(), 3, 12, last);
      // Without a mask if all are full, with it, and too short to run without.
      for (const unmaskedFrom of [1, 12, 13]) {
        const found = await states(flat(unmaskedFrom), 3, 12, last);
        const most = Math.max(...found.map((value, i) => Math.abs(value - (expected[i] ?? 9))));
        assert.ok(most < 2e-5, String(most));
      }
    });
  }

  it('omits the mask only if allowed: results differ in the last digits', async () => {
    const [unmasked, masked] = [await states(flat(12), 3, 12, 12), await states(flat(13), 3, 12, 12)];
    assert.notDeepEqual(unmasked, masked);
    assert.deepEqual(await states(flat(12), 3, 12, 5), await states(flat(13), 3, 12, 5));
  });
});

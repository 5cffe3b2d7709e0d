import assert from 'node:assert/strict';
import fc from 'fast-check';
import { onnxParameters } from '../../../src/core/models/onnx';
import { headerLength, shardsOf, sizesOf, addSizes } from '../../../src/core/models/safetensors';

describe('headers of safetensors', () => {
  const start = (length: bigint): Uint8Array => {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setBigUint64(0, length, true);
    return bytes;
  };

  it('begin with their length', () => {
    assert.equal(headerLength(start(1234n)), 1234);
    assert.equal(headerLength(new TextEncoder().encode('version https://git-lfs')), null);
    assert.equal(headerLength(start(2n ** 63n)), null);
    assert.equal(headerLength(new Uint8Array(3)), null);
  });

  it('say how many elements there are, and in what most are held', () => {
    const header = JSON.stringify({
      __metadata__: { format: 'pt' },
      'a.weight': { dtype: 'BF16', shape: [3, 4], data_offsets: [0, 24] },
      'a.scale': { dtype: 'F32', shape: [], data_offsets: [24, 28] },
    });
    assert.deepEqual(sizesOf(header), { elements: 13, bytes: 28, dtype: 'BF16' });
    assert.deepEqual(addSizes([sizesOf(header)!, sizesOf(header)!]), {
      elements: 26,
      bytes: 56,
      dtype: 'BF16',
    });
  });

  it('are refused where they are something else', () => {
    for (const text of [
      '',
      '[]',
      '{"a":1}',
      '{"a":null}',
      '{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}',
    ]) {
      assert.equal(sizesOf(text), null, text);
    }
  });

  it('are in the files that an index names, and in no other folder', () => {
    const map = { a: 'model-2.safetensors', b: 'model-1.safetensors', c: 'model-2.safetensors', d: '../x' };
    assert.deepEqual(shardsOf(JSON.stringify({ weight_map: map })), [
      'model-1.safetensors',
      'model-2.safetensors',
    ]);
    assert.deepEqual(shardsOf('{'), []);
  });
});

/** Protobuf encoded by hand: a field's key, a length, its content. */
const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
const nested = (field: number, content: readonly number[]): number[] => [
  ...varint(field * 8 + 2),
  ...varint(content.length),
  ...content,
];
const plain = (field: number, value: number): number[] => [...varint(field * 8), ...varint(value)];

const tensor = (dims: readonly number[], packs: boolean, data: number): number[] => [
  ...(packs ? nested(1, dims.flatMap(varint)) : dims.flatMap(size => plain(1, size))),
  ...plain(2, 1),
  ...nested(
    9,
    Array.from({ length: data }, () => 7),
  ),
];
const model = (initializers: readonly (readonly number[])[]): Uint8Array =>
  new Uint8Array([
    ...plain(1, 8),
    ...nested(2, [65, 66]),
    ...nested(7, [...nested(2, [67]), ...initializers.flatMap(one => nested(5, one))]),
  ]);

describe('headers of ONNX', () => {
  const from = (bytes: Uint8Array) => (at: number, length: number) =>
    Promise.resolve(bytes.subarray(at, at + length));

  it('count the elements of initialisers, packed or not', async () => {
    const bytes = model([tensor([768, 300], true, 8), tensor([4, 5], false, 0), tensor([], false, 4)]);
    assert.equal(await onnxParameters(from(bytes)), 768 * 300 + 20 + 1);
  });

  it('do not read the data between them', async () => {
    const bytes = model([tensor([150_000], true, 150_000), tensor([3], true, 12)]);
    let read = 0;
    const counted = await onnxParameters((at, length) => {
      const part = bytes.subarray(at, at + length);
      read += part.length;
      return Promise.resolve(part);
    });
    assert.equal(counted, 150_003);
    // The window at the start, and the one behind the data.
    assert.ok(read < 80_000, String(read));
  });

  it('are refused, and end, whatever the bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async bytes => {
        const counted = await onnxParameters(from(bytes));
        assert.ok(counted === null || Number.isSafeInteger(counted));
      }),
    );
  });
});

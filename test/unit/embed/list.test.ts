import assert from 'node:assert/strict';
import fc from 'fast-check';
import { beginsList, entriesOf } from '../../../src/embed/input/list';

async function* pieces(bytes: Uint8Array, size: number): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

async function entries(text: string, size: number): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const some of entriesOf(pieces(Buffer.from(text), size), 'a.json')) all.push(...some);
  return all;
}

describe('embed: a JSON list', () => {
  it('is split into its entries wherever the pieces of the file end', async () => {
    const value = fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(
        value,
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(0, 1, 2),
        async (list, size, indent) => {
          const text = JSON.stringify(list, null, indent);
          const found = await entries(text, size);
          assert.deepEqual(
            found.map(one => JSON.parse(one) as unknown),
            JSON.parse(text),
          );
        },
      ),
    );
  });

  it('is told from lines by its first character', () => {
    assert.equal(beginsList(Buffer.from('\uFEFF\n [')), true);
    assert.equal(beginsList(Buffer.from('{"a":[]}')), false);
    assert.equal(beginsList(Buffer.from('')), false);
  });

  it('is reported as truncated if it does not end', async () => {
    await assert.rejects(entries('[{"a":1},{"b"', 4), /a\.json: the list of records does not end/);
  });

  it('may be followed by blanks', async () => {
    assert.deepEqual(await entries('[ {"a":1} ,\n{"b":[1,2]}\n]\n\n', 3), ['{"a":1}', '{"b":[1,2]}']);
  });
});

import assert from 'node:assert/strict';
import { ModelCatalog } from '../../../src/core/models/catalog';
import { readGgufHeader } from '../../../src/core/models/ggufHeader';
import { ModelSearch } from '../../../src/world/modelSearch';
import { theModel } from '../../fixtures/llamacpp/served';
import { sparseGguf } from '../../fixtures/llamacpp/sparseGguf';

const { header } = sparseGguf(theModel('Qwen/Qwen3-0.6B'), 'Q8_0');

function searchIn(files: Readonly<Record<string, Uint8Array>>): ModelSearch {
  const world = {
    read: () => Promise.resolve({ absence: 'binary' as const }),
    bytes: (path: string, at: number, length: number) =>
      Promise.resolve(files[path]?.subarray(at, at + length) ?? null),
    list: () => Promise.resolve([]),
  };
  const nothing = new ModelCatalog({ columns: [], groups: [] });
  return new ModelSearch(world, nothing, { from: 'a/run.sh', home: '/home', cache: null, downloads: null });
}

describe('GGUF files', () => {
  it('tell their model by themselves, whatever they are called', async () => {
    const model = await searchIn({ 'a/mine.gguf': header }).find('mine.gguf');
    assert.deepEqual(
      [model?.modelType, model?.layers, model?.kvHeads, model?.vocabSize, model?.source],
      ['qwen3', 28, 8, 151_936, 'gguf'],
    );
    assert.equal(model?.publishedTotal, 596_049_920);
    assert.equal(model.gguf?.layers.length, 28);
  });

  it('in parts are read as one', async () => {
    const parts = { 'm-00001-of-00002.gguf': header, 'm-00002-of-00002.gguf': header };
    const model = await searchIn(parts).find('m-00001-of-00002.gguf');
    assert.equal(model?.publishedTotal, 2 * 596_049_920);
    const one = await searchIn({ 'm-00001-of-00002.gguf': header }).find('m-00001-of-00002.gguf');
    assert.equal(one, null);
  });

  it('that end early, or are none, are not guessed at', () => {
    assert.equal(readGgufHeader(header.subarray(0, 4000)), 'short');
    assert.equal(readGgufHeader(new Uint8Array(64)), 'invalid');
    const strange = header.slice();
    strange[4] = 9;
    assert.equal(readGgufHeader(strange), 'invalid');
  });
});

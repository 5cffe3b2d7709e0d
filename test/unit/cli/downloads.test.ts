import assert from 'node:assert/strict';
import { DownloadedModels } from '../../../src/cli/downloads';
import type { ModelFacts, ModelLookup, ModelSource } from '../../../src/core/models/model';

const NONE: ModelLookup = { model: null, why: 'Not here.', dependencies: [] };
const found = (source: ModelFacts['source']): ModelLookup => ({
  ...NONE,
  model: { id: 'a/b', source } as ModelFacts,
});
const always = (lookup: ModelLookup): ModelSource => ({ find: () => Promise.resolve(lookup) });

describe('models of a call with --download', () => {
  const asked: string[] = [];
  const told: string[] = [];
  const tell = (id: string, why: string) => void told.push(`${id}: ${why}`);
  beforeEach(() => asked.splice(0));
  const ok = (id: string) => {
    asked.push(id);
    return Promise.resolve({ ok: true as const, folder: '', bytes: 0 });
  };

  it('come from this machine where it has them', async () => {
    for (const source of ['catalog', 'config.json', 'hugging-face-cache', 'user', 'download'] as const) {
      const models = new DownloadedModels(always(found(source)), always(NONE), ok, tell);
      assert.equal((await models.find('a/b', '')).model?.source, source);
    }
    assert.deepEqual(asked, []);
  });

  it('are downloaded once where it has none, or one that is only called like them', async () => {
    for (const lookup of [NONE, found('name')]) {
      const models = new DownloadedModels(always(lookup), always(found('download')), ok, tell);
      await models.find('https://huggingface.co/a/b/tree/main', '');
      assert.equal((await models.find('a/b', '')).model?.source, 'download');
    }
    assert.deepEqual(asked, ['a/b', 'a/b']);
  });

  it('are not asked for by a path, a word or another address', async () => {
    const models = new DownloadedModels(always(NONE), always(NONE), ok, tell);
    for (const name of ['./a/b', '/a/b', '~/a/b', 'resnet50', 'https://x.org/a/b', 'a/../b', '']) {
      await models.find(name, '');
    }
    assert.deepEqual(asked, []);
  });

  it('say once why they did not come', async () => {
    const failing = () => Promise.resolve({ ok: false as const, why: 'a/b is gated' });
    const models = new DownloadedModels(always(NONE), always(NONE), failing, tell);
    assert.deepEqual(await models.find('a/b', ''), NONE);
    await models.find('a/b', '');
    assert.deepEqual(told, ['a/b: a/b is gated']);
  });

  it('end after a hundred', async () => {
    const models = new DownloadedModels(always(NONE), always(NONE), ok, tell);
    for (let i = 0; i < 200; i++) await models.find(`a/b${i}`, '');
    assert.equal(asked.length, 100);
  });
});

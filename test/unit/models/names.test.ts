import assert from 'node:assert/strict';
import fc from 'fast-check';
import { comparableId, hubId } from '../../../src/core/models/names';

describe('models: names', () => {
  it('are hub ids in any notation', () => {
    const same = [
      'Qwen/Qwen2.5-7B',
      ' Qwen/Qwen2.5-7B/ ',
      'https://huggingface.co/Qwen/Qwen2.5-7B',
      'hf://Qwen/Qwen2.5-7B',
      'https://hf.co/Qwen/Qwen2.5-7B/tree/main',
      '/data/hub/models--Qwen--Qwen2.5-7B/snapshots/c0ffee',
      'models--Qwen--Qwen2.5-7B',
      '~/.cache/huggingface/hub/models--Qwen--Qwen2.5-7B/',
    ];
    for (const name of same) assert.equal(hubId(name), 'Qwen/Qwen2.5-7B', name);
    for (const name of same) assert.equal(comparableId(name), 'qwen/qwen2.5-7b', name);
    assert.equal(hubId('models--gpt2/snapshots/c0ffee'), 'gpt2');
  });

  it('are none when they lead elsewhere', () => {
    for (const name of [
      '',
      '/abs/path',
      './here',
      '../up',
      'a/../b',
      'a/b/c',
      's3://bucket/x',
      'https://x.org/a/b',
      '~/x',
    ]) {
      assert.equal(hubId(name), null, name);
    }
  });

  it('never let a path out', () => {
    fc.assert(
      fc.property(fc.string(), name => {
        const id = hubId(name);
        assert.ok(id === null || (!id.includes('..') && !id.startsWith('/') && id.split('/').length <= 2));
      }),
    );
  });
});

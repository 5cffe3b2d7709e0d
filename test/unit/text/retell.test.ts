import assert from 'node:assert/strict';
import { phrase, sayIn, told } from '../../../src/core/text/say';

const say = sayIn({
  'the GPU': '显卡',
  'transformers {0}': '按 transformers {0}',
  '{0}: {1}': '{0}：{1}',
  'rows of {0} tokens, {1}': '每行 {0} 个 token，{1}',
  'the longest that is {0}': '{0}的最长者',
  'usual in public data': '公开数据中常见',
  '{0} of {1} layers': '{1} 层中的 {0}',
  '{0} of {1}': '{1} 的 {0}',
  '{0} is {1}': '{0} 为 {1}',
  'The GPU ran out of memory.': '显存不足。',
  '{0} requested': '请求 {0}',
  'in the forward pass': '在前向传播中',
  '{0} ({1})': '{0}（{1}）',
  ', ': '，',
});

describe('a text that was composed before its reader was known', () => {
  it('is said in the reader’s language, with what filled it', () => {
    assert.equal(told(say, phrase`transformers ${'4.51'}`), '按 transformers 4.51');
    assert.equal(told(say, 'the GPU'), '显卡');
  });

  it('has the texts inside of it said, too', () => {
    const text = 'rows of 8192 tokens, the longest that is usual in public data';
    assert.equal(told(say, text), '每行 8192 个 token，公开数据中常见的最长者');
  });

  it('has a template of a short word for single words alone', () => {
    assert.equal(told(say, 'model.path is a/b'), 'model.path 为 a/b');
    assert.equal(told(say, 'model.path is a b'), 'model.path is a b');
  });

  it('has a sentence said with the facts in its brackets', () => {
    const text = 'The GPU ran out of memory. (2.0 GB requested, in the forward pass)';
    assert.equal(told(say, text), '显存不足。（请求 2.0 GB，在前向传播中）');
    assert.equal(told(say, 'Nobody knows this. (2.0 GB requested)'), 'Nobody knows this. (2.0 GB requested)');
  });

  it('keeps the order of the places of its language', () => {
    assert.equal(told(say, '3 of 8 layers'), '8 层中的 3');
  });

  it('stays English where no template has it', () => {
    for (const text of [
      'adapters of a kind: that none knows',
      'rows of 3 lines',
      'transformers',
      'the GPU and more',
    ]) {
      assert.equal(told(say, text), text);
    }
  });
});

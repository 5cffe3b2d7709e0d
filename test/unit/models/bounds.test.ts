import assert from 'node:assert/strict';
import { impossibleSize } from '../../../src/core/models/bounds';

describe('sizes that no model has', () => {
  it('are named, wherever they stand', () => {
    assert.match(impossibleSize({ num_hidden_layers: 10_000_000 }) ?? '', /num_hidden_layers is 10000000/);
    assert.match(impossibleSize({ text_config: { vocab_size: '1e9' } }) ?? '', /vocab_size is 1000000000/);
    assert.equal(impossibleSize({ num_hidden_layers: 32, vocab_size: 128_256 }), null);
  });

  it('are looked for in objects that hide what JavaScript asks of every object', () => {
    const config = JSON.parse('{"layers":[{"toString":1,"valueOf":2}],"heads":{"toString":{}}}') as object;
    assert.equal(impossibleSize(config), null);
  });
});

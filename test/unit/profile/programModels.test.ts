import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { CatalogData } from '../../../src/core/data/rows';
import { ModelCatalog } from '../../../src/core/models/catalog';
import { spreadOf } from '../../../src/profile/program/amounts';
import { modelTable } from '../../../src/profile/program/models';
import type { ProgramResult } from '../../../src/profile/program/result';

const data = JSON.parse(readFileSync('src/core/data/models.json', 'utf8')) as CatalogData;

describe('models that programs load by name', () => {
  const { configs, names } = modelTable(new ModelCatalog(data));
  const configOf = (name: string): unknown => configs[names[name] ?? -1];

  it('have the config.json of dense models, by all of their names', () => {
    assert.equal(names['gpt2'], names['openai-community/gpt2']);
    const config = configOf('gpt2') as Readonly<Record<string, unknown>>;
    assert.equal(config['model_type'], 'gpt2');
    assert.equal(config['vocab_size'], 50_257);
    assert.equal(config['num_hidden_layers'], 12);
    const stored = configOf('qwen/qwen3-4b') as Readonly<Record<string, unknown>>;
    assert.equal(stored['dtype'], 'bfloat16');
  });

  it('lack models that need more than the catalog has', () => {
    assert.equal(names['mistralai/mixtral-8x7b-v0.1'], undefined);
    assert.ok(configs.length > 300);
    assert.ok(Object.values(names).every(index => configs[index] !== undefined));
  });
});

describe('the confidence in a dry run of a program', () => {
  const spread = (assumedShapes: number, ...standIns: readonly string[]): unknown =>
    spreadOf({ assumedShapes, standIns } as unknown as ProgramResult);

  it('is lower for what stood in for something', () => {
    assert.deepEqual(spread(0, 'pretrained weights by their shapes'), { below: 0.02, above: 0.02 });
    assert.deepEqual(spread(0, 'torch.compile: fused chains counted as Inductor writes them'), {
      below: 0.05,
      above: 0.05,
    });
    assert.deepEqual(spread(0, 'float32 for the weights of a/b, whose dtype is unknown'), {
      below: 0.5,
      above: 0.02,
    });
    assert.deepEqual(spread(0, '32,000 tokens for a/b, whose vocabulary is unknown'), {
      below: 0.3,
      above: 0.5,
    });
    assert.deepEqual(spread(0, "DeepSpeed's ZeRO stage 2, by its storages"), { below: 0.1, above: 0.1 });
    assert.deepEqual(spread(1, '256 rows of 600 words for imdb, which is missing'), {
      below: 0.5,
      above: 0.1,
    });
  });
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { modelTypes } from '../../../src/core/models/families/families';
import { modelFromConfigJson } from '../../../src/core/models/fromConfig';
import { countDecoder } from '../../../src/core/models/countDecoder';
import { languageModel } from '../../../src/core/models/languageModel';
import type { ModelFacts, ParameterCounts } from '../../../src/core/models/model';

interface Saved {
  readonly config: Readonly<Record<string, unknown>>;
  readonly parameters: ParameterCounts | null;
}

/**
 * Written by make_configs.py in the same folder: configs that transformers saves, and the contents of their
 * modules.
 */
const saved = JSON.parse(readFileSync('test/fixtures/models/configs.json', 'utf8')) as readonly Saved[];

function read(config: Readonly<Record<string, unknown>>): ModelFacts {
  const reading = modelFromConfigJson('some/model', JSON.stringify(config), 'config.json');
  assert.ok(reading.ok, reading.ok ? '' : reading.why);
  return reading.model;
}

function refusal(config: unknown): string {
  const text = typeof config === 'string' ? config : JSON.stringify(config);
  const reading = modelFromConfigJson('some/model', text, 'config.json');
  assert.ok(!reading.ok);
  return reading.why;
}

const small = {
  model_type: 'llama',
  vocab_size: 1003,
  hidden_size: 96,
  intermediate_size: 200,
  num_hidden_layers: 3,
  num_attention_heads: 6,
};

describe('models: config.json', () => {
  for (const [at, { config, parameters }] of saved.entries()) {
    it(`counts ${String(config['model_type'])} as transformers' own modules do (#${at})`, () => {
      assert.deepEqual(read(config).parameters, parameters);
    });
  }

  it('gives what is left out the defaults of the model type', () => {
    const model = read(small);
    assert.deepEqual([model.kvHeads, model.headDim, model.maxPositions], [6, 16, 2048]);
    assert.equal(model.tiedEmbeddings, false);
    assert.equal(model.dtype, null);
    assert.equal(read({ ...small, model_type: 'gemma' }).headDim, 256);
    assert.equal(read({ ...small, model_type: 'gemma' }).tiedEmbeddings, true);
    assert.equal(read({ ...small, num_key_value_heads: null }).kvHeads, 6);
  });

  it('keeps what an architecture may ask for, without tables of labels', () => {
    const { extra } = read({ ...small, rope_theta: 500000, id2label: { 0: 'a' } });
    assert.equal(extra['rope_theta'], 500000);
    assert.equal(extra['id2label'], undefined);
  });

  it('reads experts behind a latent, and layers of delta attention', () => {
    const config = JSON.parse(
      readFileSync('test/fixtures/changes/other-cluster/config.json', 'utf8'),
    ) as Record<string, unknown>;
    const model = languageModel(read(config));
    assert.deepEqual([model.modelType, model.moe?.latentSize, model.moe?.layers], ['kimi_linear', 3584, 92]);
    const kinds = model.extra['layer_types'] as readonly string[];
    assert.equal(kinds.filter(kind => kind === 'linear_attention').length, 69);
    // Published as 2.8T. What is counted here has latent attention in every layer, which is smaller than the other.
    const total = countDecoder(model).total;
    assert.ok(Math.abs(total / 2.8e12 - 1) < 0.03, String(total));
    const wide = countDecoder({ ...model, moe: { ...model.moe!, latentSize: model.hiddenSize } }).total;
    assert.ok(wide > 1.9 * total, String(wide));
  });

  it('reads both names of the dtype and no other', () => {
    assert.equal(read({ ...small, torch_dtype: 'bfloat16' }).dtype, 'bfloat16');
    assert.equal(read({ ...small, dtype: 'float16' }).dtype, 'float16');
    assert.equal(read({ ...small, torch_dtype: 'auto' }).dtype, null);
  });

  it('reads numbers that Python writes and JSON does not have', () => {
    const text = JSON.stringify({ ...small, limits: [0, 1] }).replace(
      '[0,1]',
      '[0.0, Infinity, -Infinity, NaN]',
    );
    const reading = modelFromConfigJson('x', text, 'config.json');
    assert.ok(reading.ok);
    assert.deepEqual(reading.model.extra['limits'], [0, null, null, null]);
  });

  it('takes a window that is switched off for none', () => {
    const qwen = { ...small, model_type: 'qwen2', sliding_window: 4096, tie_word_embeddings: false };
    assert.equal(read({ ...qwen, use_sliding_window: false }).slidingWindow, null);
    assert.equal(read({ ...qwen, use_sliding_window: true }).slidingWindow, 4096);
  });

  it('reads the language model of a vision-language model and leaves its total open', () => {
    const model = read({
      model_type: 'qwen2_5_vl',
      torch_dtype: 'bfloat16',
      text_config: { ...small, model_type: 'qwen2_5_vl_text' },
      vision_config: {},
    });
    assert.equal(model.kind, 'vision-language');
    assert.equal(model.modelType, 'qwen2_5_vl');
    assert.deepEqual([model.hiddenSize, model.qkvBias, model.parameters], [96, true, null]);
    assert.equal(model.dtype, 'bfloat16');
  });

  it('says why it cannot read', () => {
    assert.equal(refusal('{'), 'config.json is not a JSON object');
    assert.equal(refusal('[1]'), 'config.json is not a JSON object');
    assert.equal(refusal({ hidden_size: 1 }), 'config.json states no model_type');
    assert.equal(refusal({ model_type: 'mystery' }), 'model type mystery is not known');
    assert.equal(refusal({ model_type: '__proto__' }), 'model type __proto__ is not known');
    assert.match(
      refusal({ ...small, hidden_size: '96' }),
      /^hidden_size is "96", not a positive whole number$/,
    );
    assert.match(
      refusal({ ...small, num_hidden_layers: -1, vocab_size: 1.5 }),
      /num_hidden_layers.*vocab_size/,
    );
    assert.match(
      refusal({ ...small, hidden_size: 2 ** 30, intermediate_size: 2 ** 30 }),
      /more parameters than any model/,
    );
    assert.match(refusal({ model_type: 'chatglm', multi_query_attention: true }), /num_layers is missing/);
    assert.match(
      refusal({ ...small, model_type: 'bert', position_embedding_type: 'alibi' }),
      /position_embedding_type alibi is not supported/,
    );
  });

  it('never throws and never counts what is not a number', () => {
    const value = fc.oneof(
      fc.integer(),
      fc.double(),
      fc.string(),
      fc.boolean(),
      fc.constant(null),
      fc.object(),
    );
    const config = fc.dictionary(fc.constantFrom(...Object.keys(small), 'num_experts', 'text_config'), value);
    fc.assert(
      fc.property(fc.constantFrom(...modelTypes), config, (modelType, odd) => {
        const text = JSON.stringify({ ...small, ...odd, model_type: modelType });
        const reading = modelFromConfigJson('x', text, 'user');
        if (!reading.ok) assert.notEqual(reading.why, '');
        else assert.ok(Number.isSafeInteger(reading.model.parameters?.total ?? 0), text);
      }),
    );
  });
});

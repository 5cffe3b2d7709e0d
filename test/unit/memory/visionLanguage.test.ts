import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { CatalogData } from '../../../src/core/data/rows';
import { setUp } from '../../../src/core/memory/setup/setUp';
import { ADAPTERS, GRADIENTS, WEIGHTS } from '../../../src/core/memory/terms';
import { play } from '../../../src/core/memory/timeline';
import type { Played } from '../../../src/core/memory/played';
import { isTarget } from '../../../src/core/memory/transforms/targets';
import { ModelCatalog } from '../../../src/core/models/catalog';
import { languageModel, towerOf } from '../../../src/core/models/languageModel';
import { modelFromConfigJson } from '../../../src/core/models/fromConfig';
import { statedRun } from '../../eval/accuracy/stated';
import type { StatedDetails, StatedQuantities } from '../../eval/accuracy/stated';

const catalog = new ModelCatalog(
  JSON.parse(readFileSync('src/core/data/models.json', 'utf8')) as CatalogData,
);

/** Fine-tuning in bf16 on rows of 512 tokens. */
function played(id: string, quantities: StatedQuantities = {}, details: StatedDetails = {}): Played {
  const run = statedRun(
    id,
    {
      id: 'transformers',
      name: 'transformers',
      version: '5.23.0',
      libraries: { transformers: '5.23.0' },
      stated: true,
    },
    {
      model: id,
      task: 'sft',
      method: 'full',
      microBatchSize: 1,
      seqLen: 512,
      gradAccum: 1,
      loadDtype: 'bf16',
      precision: 'bf16',
      optimizer: 'adamw_torch',
      gpus: 1,
      ...quantities,
    },
    { paddedRows: false, autocast: false, ...details },
  );
  const found = setUp(run, catalog.find(id), null);
  assert.ok(found.ok, found.ok ? '' : found.missing.join());
  return play(found.plan.architecture, found.plan.memoryRun);
}

const weightsOf = ({ load }: Played): number => load.terms[WEIGHTS] ?? 0;

const lora = (targets: readonly string[]) => ({
  r: 16,
  alpha: 16,
  dropout: 0,
  targets,
  modulesToSave: [],
  rslora: false,
  dora: false,
});

describe('memory: vision-language models', () => {
  for (const id of [
    'Qwen/Qwen2.5-VL-3B-Instruct',
    'Qwen/Qwen2-VL-7B-Instruct',
    'Qwen/Qwen3-VL-4B-Instruct',
    'google/gemma-3-4b-it',
    'llava-hf/llava-1.5-7b-hf',
    'llava-hf/llava-onevision-qwen2-7b-ov-hf',
    'HuggingFaceTB/SmolVLM-Instruct',
    'mistralai/Mistral-Small-3.1-24B-Instruct-2503',
    'OpenGVLab/InternVL3-2B-hf',
    'google/paligemma-3b-pt-224',
    'google/gemma-4-31B',
    'google/gemma-4-E2B-it',
    'meta-llama/Llama-3.2-11B-Vision',
    'Qwen/Qwen3.5-9B',
  ]) {
    it(`${id} weighs what its checkpoint has`, () => {
      const total = catalog.find(id)?.publishedTotal ?? 0;
      const error = weightsOf(played(id)) / (2 * total) - 1;
      assert.ok(Math.abs(error) < 0.001, `${error}`);
    });
  }

  const id = 'Qwen/Qwen2.5-VL-3B-Instruct';
  const gradientsOf = ({ phases }: Played): number =>
    phases.find(({ phase }) => phase === 'optimizer step')?.peak.terms[GRADIENTS] ?? 0;

  it('keep what a trained tower makes of images to the end, and nothing of a frozen one', () => {
    const frozen = { frozenParts: ['vision tower', 'projector'] } as const;
    const pixels = { picturePixels: 1024 ** 2 };
    const [texts, trained, held] = [
      played(id),
      played(id, {}, pixels),
      played(id, {}, { ...pixels, ...frozen }),
    ];
    // 5,329 patches and 32 layers, each of which keeps at least the inputs of its norms and products.
    const places = Math.floor(1024 ** 2 / 14 ** 2);
    assert.ok(trained.kept - texts.kept > 32 * places * 1280 * 2 * 8);
    assert.ok(held.kept - texts.kept < places * 1280 * 2 * 2);
    assert.ok(gradientsOf(trained) > gradientsOf(held));
  });

  it('have no adapters where they are frozen', () => {
    const adapters = (parts: StatedDetails): number =>
      played(id, { method: 'lora', lora: lora(['q_proj']) }, parts).load.terms[ADAPTERS] ?? 0;
    assert.ok(adapters({}) > adapters({ frozenParts: ['vision tower'] }));
  });

  it('have a tower that texts leave without gradients', () => {
    const id = 'Qwen/Qwen2.5-VL-3B-Instruct';
    const model = catalog.find(id);
    const text = model && languageModel(model).parameters?.total;
    const step = played(id).phases.find(({ phase }) => phase === 'optimizer step');
    const gradients = step?.peak.terms[GRADIENTS] ?? 0;
    assert.ok(text && Math.abs(gradients / (2 * text) - 1) < 0.001, `${gradients}`);
  });

  it('give the tower adapters where a target is a name, not where it is a pattern about the language model', () => {
    const adapters = (targets: readonly string[]): number => {
      const settings = { method: 'lora' as const, lora: lora(targets) };
      return played('google/gemma-3-4b-it', settings).load.terms[ADAPTERS] ?? 0;
    };
    const named = adapters(['q_proj']);
    const pattern = adapters(['model.language_model.layers.[\\d]+.(mlp|self_attn).(q|unused)_proj']);
    // 27 layers of 1152, rank 16, and fp32: two matrices each.
    assert.equal(named - pattern, 27 * 2 * 16 * 1152 * 4);
  });

  it('are read from config.json in the words of their towers', () => {
    const config = {
      model_type: 'qwen2_vl',
      hidden_size: 1536,
      intermediate_size: 8960,
      num_hidden_layers: 28,
      num_attention_heads: 12,
      num_key_value_heads: 2,
      vocab_size: 151936,
      tie_word_embeddings: true,
      vision_config: { embed_dim: 1280, depth: 32, num_heads: 16, mlp_ratio: 4, patch_size: 14 },
    };
    const reading = modelFromConfigJson('qwen', JSON.stringify(config), 'config.json');
    assert.ok(reading.ok);
    const tower = { width: 1280, inner: 5120, layers: 32, heads: 16, patch: 14, side: null };
    assert.deepEqual(towerOf(reading.model), tower);
    assert.equal(languageModel(reading.model).modelType, 'qwen2');
  });
});

describe('memory: targets of adapters', () => {
  const PATTERN = "'model.text_model.layers.[\\d]+.(mlp|self_attn).(up|down|q|k)_proj'";
  for (const [name, wanted] of [
    ['up_proj', true],
    ['o_proj', false],
    ['vision_tower.q_proj', false],
  ] as const) {
    it(`a pattern takes ${name}: ${wanted}`, () => assert.equal(isTarget([PATTERN], name), wanted));
  }

  it('a name is the end of a module', () => {
    assert.equal(isTarget(['out.0'], 'to_out.0'), false);
    assert.equal(isTarget(['q_proj'], 'vision_tower.q_proj'), true);
    assert.equal(isTarget(['proj'], 'q_proj'), false);
  });
});

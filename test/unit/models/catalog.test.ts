import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { ModelCatalog, modelFromCatalog } from '../../../src/core/models/catalog';
import type { CatalogData } from '../../../src/core/data/rows';
import { servedPositions } from '../../../src/core/models/servedPositions';

const catalog = new ModelCatalog(
  JSON.parse(readFileSync('src/core/data/models.json', 'utf8')) as CatalogData,
);
const find = (name: string) => modelFromCatalog(catalog, name);

describe('models: the catalog', () => {
  it('gives the facts of a record', () => {
    const model = find('meta-llama/Llama-3.1-8B')!;
    assert.equal(model.modelType, 'llama');
    assert.deepEqual(
      [model.hiddenSize, model.intermediateSize, model.layers, model.heads, model.kvHeads, model.headDim],
      [4096, 14336, 32, 32, 8, 128],
    );
    assert.equal(model.vocabSize, 128256);
    assert.equal(model.dtype, 'bfloat16');
    assert.equal(model.tiedEmbeddings, false);
    assert.equal(model.source, 'catalog');
    assert.equal(model.sameAs, null);
  });

  it('takes a shared fact back where a row says so', () => {
    assert.equal(find('google-bert/bert-base-uncased')!.extra['pooling'], undefined);
    assert.equal(find('BAAI/bge-base-en-v1.5')!.extra['pooling'], 'cls');
  });

  it('knows other names, whatever their case, and says whose facts they are', () => {
    const model = find('UNSLOTH/llama-2-7b-bnb-4bit/')!;
    assert.equal(model.sameAs, 'meta-llama/Llama-2-7b-hf');
    assert.equal(model.id, 'UNSLOTH/llama-2-7b-bnb-4bit/');
    assert.equal(find('https://huggingface.co/meta-llama/Llama-2-7b-hf/tree/main')!.sameAs, null);
  });

  it('knows repositories of quantized weights by the model that was quantized, whoever did it', () => {
    for (const name of ['meta-llama/Llama-2-7b-hf-bnb-4bit', 'somebody/Llama-2-7b-hf-FP8-dynamic']) {
      assert.equal(find(name)?.sameAs, 'meta-llama/Llama-2-7b-hf', name);
    }
  });

  it('does not know what it does not have', () => {
    for (const name of ['', '/', 'nobody/nothing-7b', 'nobody/nothing-7b-bnb-4bit', '__proto__']) {
      assert.equal(find(name), null, name);
    }
  });

  it('finds every record by its id and every counted total is the published one', () => {
    const wrong = catalog.ids().filter(id => {
      const model = find(id);
      return (
        model?.sameAs !== null ||
        (model.parameters ?? { total: model.publishedTotal }).total !== model.publishedTotal
      );
    });
    assert.deepEqual(wrong, []);
    assert.ok(catalog.ids().filter(id => find(id)?.parameters).length > 250);
  });

  it('counts the parameters of a kind where they belong', () => {
    const { parameters } = find('meta-llama/Llama-2-7b-hf')!;
    assert.deepEqual(parameters, {
      total: 6738415616,
      embedding: 32000 * 4096,
      attention: 32 * 4 * 4096 * 4096,
      mlp: 32 * 3 * 4096 * 11008,
      norm: (2 * 32 + 1) * 4096,
      head: 32000 * 4096,
      other: 0,
    });
  });
});

const table = `${process.env['HEADROOM_SHARED'] ?? '../shared'}/catalog/models.jsonl`;

(existsSync(table) ? describe : describe.skip)('models: the source table (shared material)', () => {
  interface Line {
    readonly id: string;
    readonly params: number;
    readonly verified: string;
  }
  const lines = () =>
    readFileSync(table, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line) as Line);

  it('agrees with the catalog on every record and reproduces every exact total it counts', () => {
    const wrong = lines().filter(line => {
      const model = find(line.id);
      return (
        model?.publishedTotal !== line.params || (model.parameters?.total ?? line.params) !== line.params
      );
    });
    assert.deepEqual(wrong, []);
  });
});

describe('models: variants of a family', () => {
  const positions = (name: string) => find(name)?.maxPositions;

  it('have the positions of their own config.json', () => {
    for (const [name, most] of [
      ['Qwen/Qwen2.5-7B', 131072],
      ['Qwen/Qwen2.5-7B-Instruct', 32768],
      ['Qwen/Qwen2.5-7B-Instruct-1M', 1010000],
      ['Qwen/Qwen2.5-Coder-7B-Instruct', 32768],
      ['Qwen/Qwen2.5-Math-7B-Instruct', 4096],
      ['Qwen/Qwen2-72B-Instruct', 32768],
      ['Qwen/Qwen3-8B-Base', 32768],
      ['Qwen/Qwen3-8B', 40960],
      ['Qwen/Qwen3-4B-Instruct-2507', 262144],
      ['Qwen/QwQ-32B', 40960],
      ['microsoft/Phi-3-medium-4k-instruct', 4096],
      ['microsoft/Phi-3-medium-128k-instruct', 131072],
      ['meta-llama/Meta-Llama-3-8B-Instruct', 8192],
      ['meta-llama/Llama-3.1-8B-Instruct', 131072],
      ['mistralai/Mistral-7B-Instruct-v0.3', 32768],
      ['google/gemma-3-1b-it', 32768],
      ['google/gemma-3-4b-it', 131072],
    ] as const) {
      assert.equal(positions(name), most, name);
    }
  });

  it('give them to copies of their weights', () => {
    for (const name of [
      'Qwen/Qwen2.5-7B-Instruct-AWQ',
      'unsloth/Qwen2.5-7B-Instruct-bnb-4bit',
      'somebody/Qwen2.5-7B-Instruct-FP8-dynamic',
      'bartowski/Qwen2.5-7B-Instruct-GGUF',
    ]) {
      assert.equal(positions(name), 32768, name);
    }
    assert.equal(catalog.findSimilar('/models/Qwen2.5-7B-Instruct')?.maxPositions, 32768);
    assert.equal(catalog.findSimilar('/models/Qwen2.5-7B')?.maxPositions, 131072);
  });

  it('differ in their sliding window too', () => {
    assert.equal(find('microsoft/Phi-3-medium-4k-instruct')?.slidingWindow, 2047);
    assert.equal(find('microsoft/Phi-3-medium-128k-instruct')?.slidingWindow, 131072);
  });
});

describe('models: the length that a server allows', () => {
  const served = (modelType: string, maxPositions: number | null, scaling?: unknown) =>
    servedPositions({
      ...find('Qwen/Qwen2.5-7B')!,
      modelType,
      maxPositions,
      extra: { rope_scaling: scaling },
    });

  it('is the positions times the factor of their scaling', () => {
    assert.equal(served('llama', 4096), 4096);
    assert.equal(served('llama', 4096, { type: 'linear', factor: 4 }), 16384);
    assert.equal(served('qwen2', 32768, { type: 'dynamic', factor: 2 }), 65536);
    const yarn = { rope_type: 'yarn', factor: 4, original_max_position_embeddings: 32768 };
    assert.equal(served('qwen2', 32768, yarn), 131072);
    assert.equal(served('qwen3', 131072, yarn), 131072);
  });

  it('counts no factor that the positions have already', () => {
    for (const kind of ['llama3', 'longrope', 'su']) {
      assert.equal(served('llama', 131072, { rope_type: kind, factor: 8 }), 131072, kind);
    }
    assert.equal(served('gemma3_text', 131072, { rope_type: 'linear', factor: 8 }), 131072);
    assert.equal(served('qwen2_vl', 32768, { type: 'mrope', mrope_section: [16, 24, 24] }), 32768);
  });

  it('is unknown where the positions are, and survives nonsense', () => {
    assert.equal(served('llama', null, { type: 'linear', factor: 4 }), null);
    assert.equal(served('llama', 4096, { type: 'linear', factor: 'four' }), 4096);
    assert.equal(served('llama', 4096, { factor: NaN }), 4096);
    assert.equal(served('llama', 4096, 'linear'), 4096);
  });
});

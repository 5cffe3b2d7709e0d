import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { ModelCatalog, modelFromCatalog } from '../../../src/core/models/catalog';
import type { CatalogData } from '../../../src/core/data/rows';

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

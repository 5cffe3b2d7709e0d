import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { CatalogData } from '../../../src/core/data/rows';
import { ModelCatalog } from '../../../src/core/models/catalog';
import { seriesPlaceOf, seriesNames } from '../../../src/core/models/ladders';

const catalog = new ModelCatalog(
  JSON.parse(readFileSync('src/core/data/models.json', 'utf8')) as CatalogData,
);

describe('models: series of sizes', () => {
  it('have only models whose facts are known, each larger than the one before', () => {
    const bad: string[] = [];
    for (const names of seriesNames()) {
      let before = 0;
      for (const name of names) {
        const facts = catalog.find(name);
        const now = facts?.publishedTotal ?? facts?.parameters?.total ?? 0;
        if (facts === null) bad.push(`${name}: not known`);
        else if (now !== 0 && now <= before) bad.push(`${name}: ${now} after ${before}`);
        before = now;
      }
    }
    assert.deepEqual(bad, []);
  });

  it('are found by any of their names, with what ends it', () => {
    assert.deepEqual(seriesPlaceOf('nvidia/mit-b2'), {
      names: [0, 1, 2, 3, 4, 5].map(size => `nvidia/mit-b${size}`),
      place: 2,
    });
    assert.equal(seriesPlaceOf('Qwen/Qwen2.5-7B-Instruct')?.names[2], 'Qwen/Qwen2.5-3B-Instruct');
    assert.equal(seriesPlaceOf('yolov8m-seg.pt')?.names[1], 'yolov8s-seg.pt');
    assert.equal(seriesPlaceOf('gpt2-large')?.names[0], 'gpt2');
    for (const name of ['./mit-b2', 'mine/mit-b2', 'Qwen/Qwen2.5-7B-GPTQ', 'resnet', '']) {
      assert.equal(seriesPlaceOf(name), null, name);
    }
  });
});

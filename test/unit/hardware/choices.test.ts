import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { CatalogData } from '../../../src/core/data/rows';
import { GpuCatalog } from '../../../src/core/hardware/catalog';
import { COMMON_GB, commonGpus, typedChoices } from '../../../src/core/hardware/choices';
import { parseTarget } from '../../../src/core/hardware/target';
import { english } from '../../../src/core/text/say';

const catalog = new GpuCatalog(JSON.parse(readFileSync('src/core/data/gpus.json', 'utf8')) as CatalogData);
const typed = (text: string, isListed = false) => typedChoices(english, text, catalog, isListed);

describe('hardware: choices', () => {
  it('has common GPUs and amounts, each of which can be a target', () => {
    const common = commonGpus(catalog);
    assert.ok(common.length >= 10);
    for (const text of [...common.map(({ label }) => label), ...COMMON_GB.map(gb => `${gb} GB`)]) {
      assert.ok(parseTarget(text, catalog, { count: null, nodes: 1 }).ok, text);
    }
  });

  it('takes what the command line takes, one GPU by its label', () => {
    assert.deepEqual(typed('4090'), [{ label: '4090', says: 'RTX 4090 · 24 GB', value: 'RTX 4090' }]);
    assert.deepEqual(typed(' 2x 4090 '), [
      { label: '2x 4090', says: '2 × RTX 4090 · 24 GB', value: '2x 4090' },
    ]);
    assert.deepEqual(typed('20 gb'), [{ label: '20 gb', says: '20 GB', value: '20 GB' }]);
    assert.deepEqual(typed('  '), []);
  });

  it('says where a GPU shares its memory with the machine', () => {
    for (const name of ['GB10', 'DGX Spark']) {
      assert.deepEqual(typed(name), [
        { label: name, says: 'GB10 · 128 GB, shared with the CPU', value: 'GB10' },
      ]);
    }
  });

  it('offers each GPU that a name may mean, with its memory', () => {
    const labels = typed('A100 80').map(({ value }) => value);
    assert.ok(labels.includes('A100 SXM4 80GB') && labels.includes('A100 80GB PCIe'), labels.join());
  });

  it('says what can be typed where nothing is meant, unless the list has rows with that text', () => {
    const [only] = typed('foo');
    assert.equal(only?.value, null);
    assert.match(only.says, /Type a name \(RTX 4090, 2x H100\) or memory \(24GB\)/);
    assert.deepEqual(typed('RTX', true), []);
  });

  it('keeps its sentences short', () => {
    for (const text of ['foo', 'GB10']) assert.ok(typed(text).every(({ says }) => says.length <= 90));
  });
});

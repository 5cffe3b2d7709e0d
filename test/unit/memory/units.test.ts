import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { GpuCatalog } from '../../../src/core/hardware/catalog';
import type { CatalogData } from '../../../src/core/data/rows';
import type { PublishedRecord } from '../../eval/accuracy/publishedRecord';
import { unitsOf } from '../../eval/accuracy/metrics';

const gpus = new GpuCatalog(JSON.parse(readFileSync('src/core/data/gpus.json', 'utf8')) as CatalogData);
const GIB = 2 ** 30;

/** A row in G from a table of memory that a device shows. */
const row = (group: string, amount: number, changes: Partial<PublishedRecord> = {}): PublishedRecord =>
  ({
    id: `${group}-${amount}`,
    group,
    measured_gib_best: amount,
    unit_ambiguous: true,
    metric: 'nvidia-smi',
    metric_class: 'device (nvidia-smi/NVML, includes CUDA context)',
    gpu_name: 'A100-SXM4-80GB',
    scope: 'single GPU',
    parallelism: { gpus: 1 },
    ...changes,
  }) as PublishedRecord;

describe('accuracy: units that a table shows', () => {
  const both = { scope: 'sum over GPUs', parallelism: { gpus: 2 } };

  it('no device shows more GiB than it has: then all of the table is thousands of MiB', () => {
    const small = row('a', 6.7);
    const unit = unitsOf([small, row('a', 162, both)], gpus);
    assert.equal(unit(small), 1000 * 2 ** 20);
  });

  it('are GiB where nothing speaks against it, in other tables and where they are stated', () => {
    const rows = [row('a', 162, both), row('b', 6.7), row('a', 6.7, { unit_ambiguous: false })];
    const unit = unitsOf(rows, gpus);
    assert.deepEqual(rows.slice(1).map(unit), [GIB, GIB]);
    assert.equal(unitsOf([row('c', 79), row('c', 159, both)], gpus)(row('c', 79)), GIB);
  });

  it('say nothing of what torch counts, which is not a device', () => {
    const counted = row('a', 162, { metric_class: 'torch allocated' });
    assert.equal(unitsOf([counted], gpus)(counted), GIB);
  });
});

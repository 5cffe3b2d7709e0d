import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { DeviceEstimate } from '../../../src/core/memory/estimate';
import { GpuCatalog } from '../../../src/core/hardware/catalog';
import { ModelCatalog } from '../../../src/core/models/catalog';
import type { CatalogData } from '../../../src/core/data/rows';
import { fromPublished } from '../../eval/accuracy/published';
import type { PublishedRecord } from '../../eval/accuracy/publishedRecord';
import type { Measured } from '../../eval/accuracy/record';
import { estimatedAs } from '../../eval/accuracy/record';
import { fromSimulated } from '../../eval/accuracy/simulated';
import type { SimulatedRecord } from '../../eval/accuracy/simulated';
import { assertEveryPhase } from '../../unit/memory/everyPhase';
import { fixture } from '../../unit/memory/support';

function estimated(measured: Measured): DeviceEstimate | null {
  const result = estimatedAs(measured);
  return result.ok ? (result.estimate.devices[0] ?? null) : null;
}

const simulated = fixture('simulated') as SimulatedRecord[];

describe('memory: models against an account of every allocation', () => {
  for (const record of simulated) {
    const { id, model_type: type, torchvision, head, mode, precision } = record;
    it(`${type ?? torchvision ?? 'U-Net'} ${mode} ${head} ${precision} (${id}): every phase to the byte`, () => {
      assertEveryPhase(record);
    });
  }

  for (const record of fixture('decoders') as SimulatedRecord[]) {
    it(`${record.id}: every phase to the byte`, () => {
      assertEveryPhase(record);
    });
  }

  for (const record of fixture('evaluated') as SimulatedRecord[]) {
    it(`${record.id}: evaluation between two steps, and every other phase, to the byte`, () => {
      assertEveryPhase(record);
    });
  }

  it('reserves what torch would, for nine in ten of them to the byte', () => {
    const errors = simulated.flatMap(record => {
      const device = estimated(fromSimulated(record));
      const reserved = record.reserved_peak_bytes;
      return device && reserved !== undefined ? [Math.abs(device.reserved.expected / reserved - 1)] : [];
    });
    assert.equal(errors.length, simulated.length);
    assert.ok(errors.filter(error => error === 0).length >= errors.length * 0.9);
    assert.ok(Math.max(...errors) < 0.1);
  });
});

const catalog = (name: string): CatalogData =>
  JSON.parse(readFileSync(`src/core/data/${name}.json`, 'utf8')) as CatalogData;
const catalogs = [new ModelCatalog(catalog('models')), new GpuCatalog(catalog('gpus'))] as const;

describe('memory: models against real GPUs', () => {
  for (const record of fixture('published') as PublishedRecord[]) {
    it(`${record.id}: within 2 per mille of torch.cuda.max_memory_allocated`, () => {
      const measured = fromPublished(record, ...catalogs);
      const device = estimated(measured);
      assert.ok(device);
      assert.ok(Math.abs(device.allocated.expected / measured.bytes - 1) < 0.002);
      assert.ok(device.allocated.low <= measured.bytes && measured.bytes <= device.allocated.high);
    });
  }
});

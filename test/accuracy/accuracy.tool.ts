// npm run --silent accuracy -- --records FILE… --json
// Compares estimates with measured and simulated runs, each in the record's own metric. `--worst N` lists more of the
// worst, `--only TEXT` takes the records whose id, group or source has the text.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { estimateRun } from '../../src/core/memory/estimateRun';
import type { DeviceEstimate } from '../../src/core/memory/estimate';
import { GpuCatalog } from '../../src/core/hardware/catalog';
import { ModelCatalog } from '../../src/core/models/catalog';
import type { CatalogData } from '../../src/core/data/rows';
import { fromPublished } from './published';
import type { PublishedRecord } from './published';
import type { Measured } from './record';
import { fromSimulated } from './simulated';
import type { SimulatedRecord } from './simulated';
import { byGroup, errorOf } from './statistics';
import type { Answer } from './statistics';

const { values } = parseArgs({
  options: {
    records: { type: 'string', multiple: true, default: [] },
    json: { type: 'boolean', default: false },
    worst: { type: 'string', default: '20' },
    only: { type: 'string', default: '' },
  },
});

const catalog = (name: string): CatalogData =>
  JSON.parse(readFileSync(`src/core/data/${name}.json`, 'utf8')) as CatalogData;

function read(file: string, models: ModelCatalog, gpus: GpuCatalog): Measured[] {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => line.trim() !== '');
  return lines.map(line => {
    const record = JSON.parse(line) as SimulatedRecord | PublishedRecord;
    return 'bytes' in record ? fromSimulated(record) : fromPublished(record, models, gpus);
  });
}

/** The device's amount in the record's metric; a sum over GPUs is not asked of one device. */
function amount(device: DeviceEstimate, { metric }: Measured): Pick<Answer, 'predicted' | 'low' | 'high'> {
  const { low, expected, high } = device[metric];
  return { predicted: expected, low, high };
}

function main(): void {
  const models = new ModelCatalog(catalog('models'));
  const gpus = new GpuCatalog(catalog('gpus'));
  const all = values.records.flatMap(file => read(file, models, gpus));
  const records = all.filter(({ id, source, groups }) =>
    [id, source, ...groups].some(text => text.includes(values.only)),
  );
  const answers: Answer[] = [];
  const refused: Record<string, number> = {};
  for (const measured of records) {
    const result = estimateRun(measured.run, measured.model, measured.target);
    const device = result.ok ? result.estimate.devices[0] : undefined;
    if (device) answers.push({ measured, ...amount(device, measured) });
    if (!result.ok) for (const fact of result.missing) refused[fact] = (refused[fact] ?? 0) + 1;
  }
  const worst = answers
    .toSorted((a, b) => Math.abs(errorOf(b)) - Math.abs(errorOf(a)))
    .slice(0, Number(values.worst))
    .map(answer => ({
      id: answer.measured.id,
      predicted: Math.round(answer.predicted),
      measured: Math.round(answer.measured.bytes),
      error: Number(errorOf(answer).toFixed(5)),
    }));
  const groups = byGroup(answers);
  const sorted = Object.fromEntries(Object.entries(refused).toSorted(([, a], [, b]) => b - a));
  const result = { records: records.length, answered: answers.length, groups, worst, refused: sorted };
  if (values.json) console.log(JSON.stringify(result, null, 1));
  else print(result);
}

function print({
  groups,
  worst,
  records,
  answered,
}: {
  groups: ReturnType<typeof byGroup>;
  worst: unknown[];
  records: number;
  answered: number;
}): void {
  console.log(`${answered} of ${records} records answered`);
  console.table(groups);
  console.table(worst);
}

main();

// Writes the generated catalogs of src/core/data from the source tables (docs/catalogs.md says where these come from):
//   node scripts/catalog.mjs FOLDER
// where FOLDER holds models.jsonl and gpus.jsonl. Not part of any build. Same input, same bytes.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gpuCatalog } from './lib/gpuCatalog.mjs';
import { modelCatalog } from './lib/modelCatalog.mjs';

const folder = process.argv[2];
if (!folder) {
  console.error('usage: node scripts/catalog.mjs FOLDER (with models.jsonl and gpus.jsonl)');
  process.exit(3);
}

/** The records of a table, and a digest of its content. */
function table(name) {
  const text = readFileSync(join(folder, name), 'utf8');
  const records = text
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line));
  const sha256 = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return { records, from: { table: name, records: records.length, sha256 } };
}

/** One row per line, so that diffs of two generations are readable. */
function write(name, { header, groups }) {
  const lines = groups.map(({ shared, rows }) => {
    const rowLines = rows.map(row => JSON.stringify(row)).join(',\n');
    return `{"shared":${JSON.stringify(shared)},"rows":[\n${rowLines}]}`;
  });
  const head = JSON.stringify(header, null, 1).slice(0, -2);
  const text = `${head},\n "groups": [\n${lines.join(',\n')}\n]}\n`;
  writeFileSync(join('src/core/data', name), text);
  console.log(`${name}: ${JSON.stringify(header.counts)}, ${(text.length / 1000).toFixed(1)} kB`);
}

const models = table('models.jsonl');
write('models.json', modelCatalog(models.records, models.from));

const gpus = table('gpus.jsonl');
write('gpus.json', gpuCatalog(gpus.records, gpus.from));

// Writes media/dialect.schema.json, the schema of files in .headroom/dialects, from src/core/dialects/defined/format.yaml.
//   node scripts/dialect-schema.mjs [--check]
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { dialectFormat } from './lib/dialectFiles.mjs';
import { formatted } from './lib/formatted.mjs';
import { root } from './lib/root.mjs';

const outfile = join(root, 'out/dialect-schema/schema.cjs');
await build({
  entryPoints: [join(root, 'src/core/dialects/defined/schema.ts')],
  bundle: true,
  platform: 'node',
  format: 'cjs',
  outfile,
  plugins: [dialectFormat],
  logLevel: 'warning',
});
const { dialectSchema } = createRequire(import.meta.url)(outfile);
const path = join(root, 'media/dialect.schema.json');
const text = await formatted(path, JSON.stringify(dialectSchema()));
if (!process.argv.includes('--check')) writeFileSync(path, text);
else if (readFileSync(path, 'utf8') !== text) {
  console.error('media/dialect.schema.json is old: node scripts/dialect-schema.mjs');
  process.exitCode = 1;
}

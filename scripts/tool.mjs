// Runs one of the measuring tools: `node scripts/tool.mjs reading -- ARGS` runs test/**/reading.tool.ts. Builds
// first if the bundle is missing or older than a source. Only the tool writes to stdout.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './lib/build.mjs';
import { root } from './lib/root.mjs';

const [name, ...args] = process.argv.slice(2);

/** Files below a folder of the project, relative to its root. */
function below(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true }).map(file => join(folder, file));
}

const changedAt = file => statSync(join(root, file)).mtimeMs;

function bundleOf(tool) {
  return below('out/test').find(file => file.endsWith(`/${tool}.tool.js`)) ?? null;
}

function isStale(bundle) {
  const built = changedAt(bundle);
  const sources = [...below('src'), ...below('test')].filter(file => /\.(ts|json|yaml)$/.test(file));
  return sources.some(file => changedAt(file) > built);
}

if (!below('test').some(file => file.endsWith(`/${name}.tool.ts`))) {
  console.error(`There is no tool ${name}: test/**/${name}.tool.ts is missing.`);
  process.exit(3);
}
const bundle = bundleOf(name);
if (bundle === null || isStale(bundle)) await build({ tests: true });
const run = spawnSync(process.execPath, ['--enable-source-maps', join(root, bundleOf(name)), ...args], {
  stdio: 'inherit',
});
process.exitCode = run.status ?? 1;

// The suites that need no editor and no service: unit, golden, architecture, property tests.
// `npm run test:unit -- -g PATTERN` runs those whose titles match; RENEW=1 rewrites the golden files.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './lib/build.mjs';

await build({ tests: true });
const folders = ['unit', 'golden', 'arch', 'fuzz'];
const files = folders.flatMap(folder => {
  try {
    return readdirSync(join('out/test', folder), { recursive: true })
      .filter(name => name.endsWith('.test.js'))
      .map(name => join('out/test', folder, name));
  } catch {
    return [];
  }
});
const mocha = [
  'node_modules/mocha/bin/mocha.js',
  '--ui',
  'bdd',
  '--timeout',
  '10000',
  '--reporter',
  'scripts/lib/reporter.mjs',
  '--reporter-option',
  'output=out/unit/results.json',
  ...process.argv.slice(2),
  ...files,
];
const run = spawnSync(process.execPath, ['--enable-source-maps', ...mocha], { stdio: 'inherit' });
process.exitCode = run.status ?? 1;

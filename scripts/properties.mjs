// Suites of properties and kills: each is tried ten times as often as in the gate, and on whole long lists.
// `HEADROOM_RUNS=100 node scripts/properties.mjs -g PATTERN` tries more.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sideBySide } from './lib/cores.mjs';
import { runMocha } from './lib/mocha.mjs';

process.env.HEADROOM_RUNS ??= '10';

const triesProperties = bundle => {
  const source = bundle
    .replace(/\.mjs$/, '.ts')
    .split(/[\\/]/)
    .slice(2);
  return readFileSync(join('test', ...source), 'utf8').includes("/tries'");
};

process.exitCode = await runMocha('properties', ['unit', 'long', 'golden', 'eval', 'fuzz', 'cli'], {
  timeoutMs: 300_000,
  args: process.argv.slice(2),
  jobs: sideBySide(),
  chosen: triesProperties,
});

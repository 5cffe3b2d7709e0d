// Runs the suites that need no editor and no service: unit, golden and property tests. `npm run test:unit -- -g
// PATTERN` runs tests by title; RENEW=1 rewrites the golden files.
import { sideBySide } from './lib/cores.mjs';
import { runMocha } from './lib/mocha.mjs';

// Each golden suite reads all fixtures: the longest come first.
const folders = ['golden', 'unit'];

process.exitCode = await runMocha('unit', folders, {
  timeoutMs: 30_000,
  args: process.argv.slice(2),
  jobs: sideBySide(),
  partial: true,
});

// Tests jobs as processes of this machine: their keeper, the queue, two windows at once, kills, a full disk. `node
// scripts/jobs.mjs -g PATTERN` runs tests by title.
import { sideBySide } from './lib/cores.mjs';
import { runMocha } from './lib/mocha.mjs';

process.exitCode = await runMocha('jobs', ['jobs'], {
  timeoutMs: 30_000,
  args: process.argv.slice(2),
  jobs: sideBySide(),
});

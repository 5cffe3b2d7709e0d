// Jobs as processes of this machine: their keeper, the queue, two windows at once, kills, a disk that is full.
// `node scripts/jobs.mjs -g PATTERN` runs those whose titles match.
import { sideBySide } from './lib/cores.mjs';
import { runMocha } from './lib/mocha.mjs';

process.exitCode = await runMocha('jobs', ['jobs'], {
  timeoutMs: 30_000,
  args: process.argv.slice(2),
  jobs: sideBySide(),
});

// Runs unit tests that take half a second or more: searches for plans, models against accounts of each allocation, limits on
// time and memory, and what waits for other programs.
// `node scripts/long.mjs -g PATTERN` runs tests by title.
import { sideBySide } from './lib/cores.mjs';
import { runMocha } from './lib/mocha.mjs';

process.exitCode = await runMocha('long', ['long'], {
  timeoutMs: 60_000,
  args: process.argv.slice(2),
  jobs: sideBySide(),
  partial: true,
});

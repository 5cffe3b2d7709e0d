// Tests the command line as users start it: the built bundle, with a process and a folder per test.
import { sideBySide } from './lib/cores.mjs';
import { runMocha } from './lib/mocha.mjs';

process.exitCode = await runMocha('cli', ['cli'], {
  timeoutMs: 60_000,
  args: process.argv.slice(2),
  jobs: sideBySide(),
});

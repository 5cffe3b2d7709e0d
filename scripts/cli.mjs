// The command line as users start it: the built bundle, each test a process of its own, in a folder of its own.
import { sideBySide } from './lib/cores.mjs';
import { runMocha } from './lib/mocha.mjs';

process.exitCode = await runMocha('cli', ['cli'], {
  timeoutMs: 60_000,
  args: process.argv.slice(2),
  jobs: sideBySide(),
});

// What the sources have to be: the architecture, the manifest against the code, pages that are written by scripts. One process
// runs all files, as they share the parsed sources.
// `node scripts/arch.mjs -g PATTERN` runs those whose titles match.
import { runMocha } from './lib/mocha.mjs';

process.exitCode = await runMocha('arch', ['arch'], {
  timeoutMs: 30_000,
  args: process.argv.slice(2),
  partial: true,
});

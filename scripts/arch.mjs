// Checks of the sources: the architecture, the manifest against the code, pages that scripts write. One process
// runs all files, because they share the parsed sources. `node scripts/arch.mjs -g PATTERN` runs tests by title.
import { runMocha } from './lib/mocha.mjs';

process.exitCode = await runMocha('arch', ['arch'], {
  timeoutMs: 30_000,
  args: process.argv.slice(2),
  partial: true,
});

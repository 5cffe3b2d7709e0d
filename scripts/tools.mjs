// The tools that measure, each started once on little, a few hostile inputs, and what holds over the reference material where
// that is there.
// `node scripts/tools.mjs -g PATTERN` runs those whose titles match.
import { sideBySide } from './lib/cores.mjs';
import { runMocha } from './lib/mocha.mjs';

process.exitCode = await runMocha('tools', ['eval', 'fuzz'], {
  timeoutMs: 60_000,
  args: process.argv.slice(2),
  jobs: sideBySide(),
});

// Runs the UI suites (test/ui/*.ui.ts): a person's way through the workbench, in Chromium.
//   node test/ui/run.mjs [-g PATTERN | --gate | --rest] [--again] [FILE…]
//   --gate: only the suites marked so, the ways that matter most; --rest: all others.
// Results: out/ui/results.json; pictures: out/shots, which --again keeps.
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from '../../scripts/lib/build.mjs';
import { sideBySide } from '../../scripts/lib/cores.mjs';
import { longestFirst, mochaOn } from '../../scripts/lib/mocha.mjs';
import { withoutColors } from '../../scripts/lib/plain.mjs';
import { exitOnSignals } from '../../scripts/lib/processes.mjs';
import { root } from '../../scripts/lib/root.mjs';
import { endWith } from '../../scripts/lib/suite.mjs';
import { underOneRoot } from '../../scripts/lib/temporary.mjs';
import { prepareChromium } from '../host/browser.mjs';
import { prepareHost } from '../host/pkg/prepare.mjs';

/** Includes opening the window, if the test needs a new one. */
const TEST_MS = 480_000;
const built = join(root, 'out/test/ui');
const out = join(root, 'out/ui');

/** Built suites named by their source (`test/ui/fix.ui.ts`) or as in the results; without names, all suites. */
function suites(named) {
  const builtOf = file => join(built, basename(file).replace(/\.ts$/, '.mjs'));
  if (named.length > 0) return named.map(builtOf);
  const files = readdirSync(built).filter(name => name.endsWith('.ui.mjs'));
  return longestFirst(files.map(builtOf));
}

async function runSuites() {
  const { values, positionals } = parseArgs({
    options: {
      grep: { type: 'string', short: 'g' },
      gate: { type: 'boolean' },
      rest: { type: 'boolean' },
      again: { type: 'boolean' },
    },
    allowPositionals: true,
  });
  withoutColors();
  underOneRoot();
  await build({ tests: true });
  // Next to the other suites of a run, a second window would only delay all of them.
  const jobs = process.env.HEADROOM_BUILT === undefined ? sideBySide() : 1;
  // Suites start programs of this repository, which would otherwise rebuild it while others run.
  process.env.HEADROOM_BUILT = '1';
  const { GATE } = await import(pathToFileURL(join(built, 'window.mjs')).href);
  const grep = values.gate || values.rest ? GATE : values.grep;
  for (const stale of values.again ? [] : [out, join(root, 'out/shots')]) {
    rmSync(stale, { recursive: true, force: true });
  }
  mkdirSync(out, { recursive: true });
  // Once, before several processes need it at the same time.
  await prepareChromium();
  await prepareHost();
  const files = suites(positionals);
  const args = [
    ...['--slow', String(TEST_MS)],
    ...(grep ? ['--grep', grep] : []),
    ...(values.rest ? ['--invert'] : []),
    // The last windows of a process stay open until it ends.
    '--exit',
  ];
  return mochaOn('ui', files, { timeoutMs: TEST_MS, jobs: Math.min(jobs, files.length), args });
}

exitOnSignals();
await endWith(runSuites);

// Runs the UI suites (test/ui/*.ui.ts): a person's way through the workbench, in Chromium.
//   node test/ui/run.mjs [-g PATTERN | --gate | --rest] [--again] [FILE…]
//   --gate: only the suites marked so, the ways that matter most; --rest: all others.
// Results: out/ui/results.json; pictures: out/shots, which --again keeps.
import Mocha from 'mocha';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from '../../scripts/lib/build.mjs';
import { withoutColors } from '../../scripts/lib/plain.mjs';
import { exitOnSignals } from '../../scripts/lib/processes.mjs';
import Reporter from '../../scripts/lib/reporter.mjs';
import { root } from '../../scripts/lib/root.mjs';
import { endWith } from '../../scripts/lib/suite.mjs';
import { underOneRoot } from '../../scripts/lib/temporary.mjs';

/** With the window that the test may have to open. */
const TEST_MS = 150_000;
const built = join(root, 'out/test/ui');
const out = join(root, 'out/ui');

/** Built suites: all of them, or those named by their source (`test/ui/fix.ui.ts`) or as the results name them. */
function suites(named) {
  const builtOf = file => join(built, basename(file).replace(/\.ts$/, '.mjs'));
  if (named.length > 0) return named.map(builtOf);
  const files = readdirSync(built).filter(name => name.endsWith('.ui.mjs'));
  return files.sort().map(builtOf);
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
  const { GATE, groupedByWindow, sharedBrowser } = await import(
    pathToFileURL(join(built, 'window.mjs')).href
  );
  const grep = values.gate || values.rest ? GATE : values.grep;
  for (const stale of values.again ? [] : [out, join(root, 'out/shots')]) {
    rmSync(stale, { recursive: true, force: true });
  }
  mkdirSync(out, { recursive: true });
  await sharedBrowser.open();
  const mocha = new Mocha({
    ui: 'bdd',
    color: process.stdout.isTTY === true,
    timeout: TEST_MS,
    slow: TEST_MS,
    reporter: Reporter,
    reporterOptions: { output: join(out, 'results.json') },
    ...(grep ? { grep } : {}),
    ...(values.rest ? { invert: true } : {}),
  });
  for (const file of suites(positionals)) mocha.addFile(file);
  await mocha.loadFilesAsync();
  mocha.suite.suites = groupedByWindow(mocha.suite.suites);
  const failures = await new Promise(done => mocha.run(done));
  await sharedBrowser.close();
  return failures > 0 ? 1 : 0;
}

exitOnSignals();
await endWith(runSuites);

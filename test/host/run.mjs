// Runs the host suite (test/host/**/*.test.ts) in a real VS Code.
//   node test/host/run.mjs [-g PATTERN] [--again FILE…]
// --again: only these built suites, as the results name them.
// HOST=desktop|server forces one; else the desktop if there are VS Code and a display. VSCODE_PATH names the
// desktop's program. Into out/host: report.txt and results.json, VS Code's own logs, a picture of a hung run.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from '../../scripts/lib/build.mjs';
import { findCode, hasDisplay, programOf } from '../../scripts/lib/desktop.mjs';
import { withoutColors } from '../../scripts/lib/plain.mjs';
import { exitOnSignals } from '../../scripts/lib/processes.mjs';
import { root } from '../../scripts/lib/root.mjs';
import { endWith } from '../../scripts/lib/suite.mjs';
import { temporaryFolder, underOneRoot } from '../../scripts/lib/temporary.mjs';
import { runOnDesktop } from './onDesktop.mjs';
import { runOnServer } from './onServer.mjs';

const LIMIT_MS = 480_000;
const out = join(root, 'out/host');
const results = join(out, 'results.json');
const report = join(out, 'report.txt');

/** The desktop with its program (null: download it), or the server. */
function choose({ HOST, VSCODE_PATH } = process.env) {
  if (HOST === 'server') return { host: 'server' };
  const code = findCode();
  const program = VSCODE_PATH ?? (code && programOf(code));
  const desktop = HOST === 'desktop' || (program && hasDisplay());
  return desktop ? { host: 'desktop', program } : { host: 'server' };
}

/** The problem with a run; null if it passed, i.e. a complete report with at least one test and no failures. */
function flaw(status) {
  // VS Code also exits with 0 when its extension host dies, but then there is no report.
  if (!existsSync(results)) return `no report, status ${status}: the extension host ended early`;
  const { stats } = JSON.parse(readFileSync(results, 'utf8'));
  if (stats.failures > 0) return `${stats.failures} of ${stats.tests} tests failed`;
  if (stats.tests === 0) return 'no test ran';
  return status === 0 ? null : `VS Code ended with status ${status}`;
}

/** The suite works on a copy of the sample, so it may change it. */
function jobIn(temporary, { grep = '', only }) {
  const workspace = join(temporary, 'sample');
  cpSync(join(root, 'media/sample'), workspace, { recursive: true });
  return {
    out,
    workspace,
    extension: root,
    beside: [join(root, 'test/fixtures/pythonExtension')],
    tests: join(root, 'out/test/host/index.js'),
    env: {
      HEADROOM_RESULTS: results,
      HEADROOM_REPORT: report,
      HEADROOM_GREP: grep,
      HEADROOM_ONLY: JSON.stringify(only),
      // The suite's jobs are separate from all others, and the PATH contains a trainer that trains nothing.
      HEADROOM_STATE: join(temporary, 'state'),
      PATH: `${join(root, 'test/fixtures/jobs')}${delimiter}${process.env.PATH}`,
    },
    limitMs: LIMIT_MS,
  };
}

async function runSuite() {
  const { values, positionals } = parseArgs({
    options: { grep: { type: 'string', short: 'g' }, again: { type: 'boolean' } },
    allowPositionals: true,
  });
  withoutColors();
  underOneRoot();
  await build({ tests: true });
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const { folder: temporary } = temporaryFolder('headroom-host');
  const job = jobIn(temporary, { grep: values.grep, only: values.again ? positionals : [] });
  const { host, program } = choose();
  const desktop = () => runOnDesktop(job, { program, userData: join(temporary, 'user-data') });
  const status = await (host === 'desktop' ? desktop() : runOnServer(job));
  if (existsSync(report)) process.stdout.write(readFileSync(report));
  const wrong = flaw(status);
  console.log(`host suite (${host}): ${wrong ?? 'passed'}`);
  return wrong ? 1 : 0;
}

exitOnSignals();
await endWith(runSuite);

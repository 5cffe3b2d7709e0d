// npm test: every suite, the quick ones first; the last line is `N passed, N failed, N skipped`.
//   npm test -- [--bail] [SUITE…]      --bail ends at the first suite that fails; names choose suites
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { install } from './lib/build.mjs';
import { oldNode } from './lib/nodeVersion.mjs';
import { npm } from './lib/npm.mjs';
import { exitOnSignals, run } from './lib/processes.mjs';
import { root } from './lib/root.mjs';
import { SKIPPED } from './lib/suite.mjs';

/**
 * A suite: its program, where it leaves mocha's results (without: it counts as one), and several times its usual
 * time. `registries` comes before everything that builds, as a build writes what it checks.
 */
const suites = [
  { name: 'registries', node: ['scripts/registries.mjs', '--check'], limitMs: 30_000 },
  { name: 'types', node: ['scripts/types.mjs'], limitMs: 120_000 },
  { name: 'unit', node: ['scripts/unit.mjs'], results: 'out/unit/results.json', limitMs: 240_000 },
  { name: 'cli', node: ['scripts/cli.mjs'], results: 'out/cli/results.json', limitMs: 240_000 },
  { name: 'lint', npm: ['run', '--silent', 'lint'], limitMs: 240_000 },
  { name: 'host', node: ['test/host/run.mjs'], results: 'out/host/results.json', limitMs: 400_000 },
  { name: 'ui', node: ['test/ui/run.mjs'], results: 'out/ui/results.json', limitMs: 600_000 },
];

const say = line => process.stdout.write(`${line}\n`);

const none = { passed: 0, failed: 0, skipped: 0 };
const sum = (one, other) => ({
  passed: one.passed + other.passed,
  failed: one.failed + other.failed,
  skipped: one.skipped + other.skipped,
});

function start({ node, npm: args, limitMs }) {
  const stdio = ['ignore', 'inherit', 'inherit'];
  const options = { cwd: root, stdio, timeoutMs: limitMs, lastSignal: 'SIGTERM' };
  return node ? run(process.execPath, node, options) : npm(args, options);
}

/** A suite that ended badly without a failed test has failed all the same: it broke off, or could not begin. */
function count({ results }, status) {
  if (status === SKIPPED) return { ...none, skipped: 1 };
  const bad = status === 0 ? 0 : 1;
  if (!results) return { ...none, passed: 1 - bad, failed: bad };
  if (!existsSync(join(root, results))) return { ...none, failed: 1 };
  const { stats } = JSON.parse(readFileSync(join(root, results), 'utf8'));
  return { passed: stats.passes, failed: Math.max(stats.failures, bad), skipped: stats.pending };
}

async function runSuite(suite) {
  say(`\n== ${suite.name}`);
  if (suite.results) rmSync(join(root, suite.results), { force: true });
  const started = Date.now();
  const { status, timedOut } = await start(suite);
  if (timedOut) say(`${suite.name} was ended: it took longer than ${suite.limitMs / 1000} s`);
  const counts = count(suite, status);
  const line = `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`;
  say(`-- ${suite.name}: ${line} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
  return counts;
}

function chosenSuites(names) {
  const unknown = names.find(name => !suites.some(suite => suite.name === name));
  if (unknown) {
    say(`There is no suite "${unknown}": there are ${suites.map(suite => suite.name).join(', ')}.`);
  }
  if (unknown) return null;
  return suites.filter(suite => names.length === 0 || names.includes(suite.name));
}

async function test() {
  const { values, positionals } = parseArgs({
    options: { bail: { type: 'boolean' } },
    allowPositionals: true,
  });
  const unable = oldNode() ?? (await install());
  if (unable) say(unable);
  const chosen = unable ? null : chosenSuites(positionals);
  let total = chosen ? none : { ...none, failed: 1 };
  for (const suite of chosen ?? []) {
    total = sum(total, await runSuite(suite));
    if (total.failed > 0 && values.bail) break;
  }
  say(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
  process.exitCode = total.failed > 0 ? 1 : 0;
}

exitOnSignals();
await test();

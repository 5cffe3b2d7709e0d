// npm test: every suite, the quick ones first; the last line is `N passed, N failed, N skipped`.
//   npm test -- [--bail] [SUITE…]      --bail ends at the first suite that fails; names choose suites
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { install } from './lib/build.mjs';
import { oldNode } from './lib/nodeVersion.mjs';
import { npm } from './lib/npm.mjs';
import { exitOnSignals, run } from './lib/processes.mjs';
import { root } from './lib/root.mjs';
import { filesToRepeat, withSecondTry } from './lib/secondTry.mjs';
import { SKIPPED } from './lib/suite.mjs';

/**
 * A suite: its program, where it leaves mocha's results (without: it counts as one), and several times its usual
 * time. `registries` comes before everything that builds, as a build writes what it checks. `real`: drives a
 * real editor, daemons or trainers, so that what fails gets a second try. `beside`: mostly waits, so it runs beside the
 * suite of that name, and is heard of when its turn comes.
 */
const suites = [
  { name: 'registries', node: ['scripts/registries.mjs', '--check'], limitMs: 30_000 },
  { name: 'types', node: ['scripts/types.mjs'], limitMs: 120_000 },
  { name: 'unit', node: ['scripts/unit.mjs'], results: 'out/unit/results.json', limitMs: 400_000 },
  {
    name: 'jobs',
    node: ['scripts/jobs.mjs'],
    results: 'out/jobs/results.json',
    limitMs: 400_000,
    real: true,
  },
  { name: 'cli', node: ['scripts/cli.mjs'], results: 'out/cli/results.json', limitMs: 600_000 },
  { name: 'lint', npm: ['run', '--silent', 'lint'], limitMs: 600_000 },
  {
    name: 'services',
    node: ['scripts/services.mjs'],
    results: 'out/services/results.json',
    limitMs: 1_500_000,
    beside: 'lint',
    real: true,
  },
  {
    name: 'profile',
    node: ['scripts/profile.mjs'],
    results: 'out/profile/results.json',
    limitMs: 1_500_000,
    real: true,
  },
  {
    name: 'host',
    node: ['test/host/run.mjs'],
    results: 'out/host/results.json',
    limitMs: 1_200_000,
    real: true,
  },
  {
    name: 'ui',
    node: ['test/ui/run.mjs'],
    results: 'out/ui/results.json',
    limitMs: 1_800_000,
    real: true,
  },
];

const say = line => process.stdout.write(`${line}\n`);

const FLAW_LINES = 6;
const FLAW_CHARACTERS = 800;

const none = { passed: 0, failed: 0, skipped: 0, flaws: [] };
const sum = (one, other) => ({
  passed: one.passed + other.passed,
  failed: one.failed + other.failed,
  skipped: one.skipped + other.skipped,
  flaws: [...one.flaws, ...other.flaws],
});

function start({ node, npm: args, limitMs, beside }) {
  const heard = beside ? 'pipe' : 'inherit';
  const stdio = ['ignore', heard, heard];
  const options = { cwd: root, stdio, timeoutMs: limitMs, lastSignal: 'SIGTERM' };
  return node ? run(process.execPath, node, options) : npm(args, options);
}

const pathOf = ({ results }) => join(root, results);

function resultsOf(suite) {
  if (!suite.results || !existsSync(pathOf(suite))) return null;
  return JSON.parse(readFileSync(pathOf(suite), 'utf8'));
}

/** A suite that ended badly without a failed test has failed all the same: it broke off, or could not begin. */
function count({ results }, status, found) {
  if (status === SKIPPED) return { ...none, skipped: 1 };
  const bad = status === 0 ? 0 : 1;
  if (!results) return { ...none, passed: 1 - bad, failed: bad };
  if (!found) return { ...none, failed: 1 };
  const { passes, failures, pending } = found.stats;
  return { passed: passes, failed: Math.max(failures, bad), skipped: pending };
}

/** Runs it, and says when it was ended for being slow. */
async function attempt(suite) {
  if (suite.results) rmSync(pathOf(suite), { force: true });
  const started = Date.now();
  const { status, timedOut, output } = await start(suite);
  const seconds = (Date.now() - started) / 1000;
  const late = timedOut ? `${suite.name} was ended: it took longer than ${suite.limitMs / 1000} s` : '';
  return { status, found: resultsOf(suite), seconds, text: [output, late].filter(Boolean).join('\n') };
}

async function again(suite, first) {
  const files = filesToRepeat(first.found);
  if (!files) return first;
  say(`\n-- ${suite.name}: a second try of ${files.map(file => basename(file)).join(', ')}`);
  const second = await attempt({ ...suite, beside: null, node: [...suite.node, '--again', ...files] });
  if (!second.found) return first;
  const { late, ...found } = withSecondTry(first.found, second.found, files);
  for (const title of late) say(`-- ${suite.name}: passed only at the second try: ${title}`);
  return { status: second.status, found };
}

/** `under`: its first attempt, where it is under way already. */
async function runSuite(suite, under) {
  say(`\n== ${suite.name}`);
  const started = Date.now();
  const first = await (under ?? attempt(suite));
  if (first.text) say(first.text);
  const last = suite.real ? await again(suite, first) : first;
  const counts = count(suite, last.status, last.found);
  const line = `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`;
  const seconds = under ? first.seconds : (Date.now() - started) / 1000;
  const where = under ? `, beside ${suite.beside}` : '';
  say(`-- ${suite.name}: ${line} (${seconds.toFixed(1)} s${where})`);
  return { ...counts, flaws: flawsOf(suite, last, counts) };
}

/** Who looks at a log sees its end first: what failed, of all suites, said in a few lines each. */
function flawsOf({ name }, { found }, { failed }) {
  const failures = found?.failures ?? [];
  if (failures.length === 0) return failed > 0 ? [`${name}: ended badly: see above`] : [];
  return failures.map(({ fullTitle, err }) => {
    const why = (err?.message ?? '')
      .split('\n')
      .slice(0, FLAW_LINES)
      .join('\n    ')
      .slice(0, FLAW_CHARACTERS);
    return `${name}: ${fullTitle}\n    ${why}`;
  });
}

async function runAll(chosen, bail) {
  const under = new Map();
  let total = none;
  for (const suite of chosen) {
    for (const other of chosen.filter(({ beside }) => beside === suite.name)) {
      under.set(other.name, attempt(other));
    }
    total = sum(total, await runSuite(suite, under.get(suite.name)));
    if (total.failed > 0 && bail) break;
  }
  return total;
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
  const total = chosen ? await runAll(chosen, values.bail) : { ...none, failed: 1 };
  for (const flaw of total.flaws) say(`\nfailed: ${flaw}`);
  say(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
  process.exitCode = total.failed > 0 ? 1 : 0;
}

exitOnSignals();
await test();

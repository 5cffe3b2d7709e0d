// npm test: the gate, in ten minutes. npm run test:ci: the gate, then what CI has time for. npm run test:all: the gate,
// then all other suites. The last line is `N passed, N failed, N skipped`.
//   npm test -- [--ci | --all | --rest] [--bail] [SUITE…]
// --rest: the suites of --all that are not in the gate. --bail: stop after a failed suite. Names select suites.
import { parseArgs } from 'node:util';
import { build, install } from './lib/build.mjs';
import { oldNode } from './lib/nodeVersion.mjs';
import { exitOnSignals } from './lib/processes.mjs';
import { runSuite } from './lib/runSuite.mjs';
import { counted, Total } from './lib/total.mjs';

const MINUTE = 60_000;
/** Where mocha writes a suite's results. */
const results = name => `out/${name}/results.json`;

/**
 * A suite: its program, the path of mocha's results (without: it counts as one test), and a limit of several times
 * its usual time. `waits`: it drives a real editor, daemons or jobs and mostly waits for them, so it runs next to
 * suites that compute. `besideWindows`: it waits, too, but runs in turn with those that compute, because the
 * windows take as long as all of them. `rest`: it is not in the gate. `ci`: CI runs it, although it is not in the
 * gate; with arguments, only the part that they choose. The quick ones come first, then the longest.
 */
const suites = [
  { name: 'types', node: ['scripts/types.mjs'], limitMs: 2 * MINUTE },
  { name: 'unit', node: ['scripts/unit.mjs'], results: results('unit'), limitMs: 5 * MINUTE },
  { name: 'cli', node: ['scripts/cli.mjs'], results: results('cli'), limitMs: 20 * MINUTE },
  { name: 'long', node: ['scripts/long.mjs'], results: results('long'), limitMs: 5 * MINUTE },
  { name: 'tools', node: ['scripts/tools.mjs'], results: results('tools'), limitMs: 5 * MINUTE },
  { name: 'lint', node: ['scripts/lint.mjs'], limitMs: 3 * MINUTE },
  { name: 'arch', node: ['scripts/arch.mjs'], results: results('arch'), limitMs: 3 * MINUTE },
  { name: 'jobs', node: ['scripts/jobs.mjs'], results: results('jobs'), limitMs: 5 * MINUTE, waits: true },
  { name: 'host', node: ['test/host/run.mjs'], results: results('host'), limitMs: 15 * MINUTE, waits: true },
  {
    name: 'ui',
    node: ['test/ui/run.mjs', '--gate'],
    results: results('ui'),
    limitMs: 15 * MINUTE,
    waits: true,
  },
  {
    name: 'properties',
    node: ['scripts/properties.mjs'],
    results: results('properties'),
    limitMs: 20 * MINUTE,
    rest: true,
  },
  {
    name: 'profile',
    node: ['scripts/profile.mjs'],
    results: results('profile'),
    limitMs: 40 * MINUTE,
    rest: true,
    ci: ['-g', '@ci'],
  },
  {
    name: 'programs',
    node: ['scripts/programs.mjs'],
    results: results('programs'),
    limitMs: 90 * MINUTE,
    rest: true,
  },
  {
    name: 'services',
    node: ['scripts/services.mjs'],
    results: results('services'),
    limitMs: 25 * MINUTE,
    waits: true,
    besideWindows: true,
    rest: true,
    ci: [],
  },
  {
    name: 'windows',
    node: ['test/ui/run.mjs', '--rest'],
    results: results('ui'),
    limitMs: 60 * MINUTE,
    waits: true,
    rest: true,
  },
];
/** Comes before everything that builds, because a build writes the files that it checks. */
const registries = { name: 'registries', node: ['scripts/registries.mjs', '--check'], limitMs: MINUTE / 2 };

const say = line => process.stdout.write(`${line}\n`);

/**
 * Runs suites, those that wait concurrently with those that compute. When those that wait have ended, their lane
 * takes the last of the others. Each suite's output is printed as a whole when it has ended.
 */
async function runAll(chosen, total, bail) {
  const isSecond = ({ waits, besideWindows }) => Boolean(waits && !besideWindows);
  const lanes = [chosen.filter(suite => !isSecond(suite)), chosen.filter(isSecond)];
  const isAlone = lanes.some(lane => lane.length === 0);
  const [computing, waiting] = lanes;
  const lastOfComputing = () => (!isAlone && !computing.at(-1)?.waits ? computing.pop() : undefined);
  const runLane = async next => {
    for (let suite = next(); suite; suite = next()) {
      if (bail && total.failed > 0) return;
      if (isAlone) say(`\n== ${suite.name}`);
      const result = await runSuite(suite, { echo: isAlone });
      if (!isAlone) say(`\n== ${suite.name}\n${result.text}`);
      say(`-- ${suite.name}: ${counted(result)} (${result.seconds.toFixed(1)} s)`);
      total.add(result);
    }
  };
  await Promise.all([runLane(() => computing.shift()), runLane(() => waiting.shift() ?? lastOfComputing())]);
}

/** A suite as CI runs it: in turn with those of the gate, so that neither lane waits for the other. */
const inCi = suite =>
  suite.ci ? { ...suite, node: [...suite.node, ...suite.ci], besideWindows: false, rest: false } : suite;

function chosenSuites(names, { ci, all, rest }) {
  const known = [registries, ...suites];
  const unknown = names.find(name => !known.some(suite => suite.name === name));
  if (unknown) {
    throw new Error(`There is no suite "${unknown}": there are ${known.map(s => s.name).join(', ')}.`);
  }
  if (names.length > 0) return known.filter(({ name }) => names.includes(name));
  if (ci) return known.filter(suite => !suite.rest || suite.ci).map(inCi);
  return known.filter(suite => all || Boolean(suite.rest) === Boolean(rest));
}

/** The gate's suites, then the others, so that the gate's result is available first. */
async function runTiers(chosen, total, bail) {
  const first = chosen.filter(suite => suite === registries);
  await runAll(first, total, bail);
  if (chosen.some(suite => suite.results)) {
    await build({ tests: true });
    // Concurrent suites would overwrite each other's build.
    process.env.HEADROOM_BUILT = '1';
  }
  const tiers = [false, true].map(isRest =>
    chosen.filter(suite => suite !== registries && Boolean(suite.rest) === isRest),
  );
  for (const tier of tiers.filter(({ length }) => length > 0)) {
    if (bail && total.failed > 0) return;
    await runAll(tier, total, bail);
  }
}

async function test(total) {
  const { values, positionals } = parseArgs({
    options: {
      ci: { type: 'boolean' },
      all: { type: 'boolean' },
      rest: { type: 'boolean' },
      bail: { type: 'boolean' },
    },
    allowPositionals: true,
  });
  const unable = oldNode() ?? (await install());
  if (unable) throw new Error(unable);
  await runTiers(chosenSuites(positionals, values), total, values.bail);
}

exitOnSignals();
const total = new Total();
try {
  await test(total);
} catch (error) {
  say(error.message);
  total.fail();
}
say(`\n${total.text()}`);
process.exitCode = total.failed > 0 ? 1 : 0;

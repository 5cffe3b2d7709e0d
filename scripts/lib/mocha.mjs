// Runs bundled mocha suites in Node.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.mjs';
import { withoutColors } from './plain.mjs';
import { underOneRoot } from './temporary.mjs';

const below = folder =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true })
        .filter(name => name.endsWith('.test.mjs'))
        .map(name => join(folder, name))
    : [];

const AGAIN = '--again';
/** Most of the tests' objects are short-lived: a larger nursery saves a tenth of the whole run. */
const NURSERY = '--max-semi-space-size=64';

/**
 * Builds, runs the suites of these folders of test/ in their order, and returns mocha's status. Results go to
 * out/NAME/results.json. `args`: mocha's own, optionally followed by `--again FILE…`: only these built suites.
 * `chosen`: selects built suites. `partial`: these folders need no other build results, and of dist/ only
 * standalone files. `jobs`: how many files run concurrently, each in a process; above one only if files are
 * independent.
 */
export async function runMocha(
  name,
  folders,
  { timeoutMs, args, jobs = 1, chosen = () => true, partial = false },
) {
  withoutColors();
  underOneRoot();
  await build({ tests: partial ? folders : true });
  const at = args.includes(AGAIN) ? args.indexOf(AGAIN) : args.length;
  const all = () => folders.flatMap(folder => longestFirst(below(join('out/test', folder)))).filter(chosen);
  const files = at < args.length ? args.slice(at + 1) : all();
  return mochaOn(name, files, { timeoutMs, jobs, args: args.slice(0, at) });
}

/** Longest suites first, by their text size, so that none is left over at the end. */
export function longestFirst(files) {
  const bytes = new Map(files.map(file => [file, statSync(file).size]));
  return files.toSorted((one, other) => bytes.get(other) - bytes.get(one));
}

/** Runs mocha on built suites, and returns its status. */
export function mochaOn(name, files, { timeoutMs, jobs, args }) {
  const mocha = [
    'node_modules/mocha/bin/mocha.js',
    ...['--ui', 'bdd', '--timeout', String(timeoutMs)],
    ...['--reporter', 'scripts/lib/reporter.mjs'],
    ...['--reporter-option', `output=out/${name}/results.json`],
    ...(jobs > 1 ? ['--parallel', '--jobs', String(jobs)] : []),
  ];
  const run = spawnSync(process.execPath, [NURSERY, ...mocha, ...args, ...files], {
    stdio: 'inherit',
  });
  return run.status ?? 1;
}

// Runs bundled mocha suites in Node.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
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

/**
 * Builds, runs the suites of these folders of test/, and returns mocha's status. Results go to out/NAME/results.json.
 * `args`: mocha's own, then perhaps `--again FILE…`: only these built suites.
 * `chosen`: whether a built suite is one of them.
 * `jobs`: how many files run side by side, each in a process; more than one only where no file minds the others.
 */
export async function runMocha(name, folders, { timeoutMs, args, jobs = 1, chosen = () => true }) {
  withoutColors();
  underOneRoot();
  await build({ tests: true });
  const reporter = [
    '--reporter',
    'scripts/lib/reporter.mjs',
    '--reporter-option',
    `output=out/${name}/results.json`,
  ];
  const at = args.includes(AGAIN) ? args.indexOf(AGAIN) : args.length;
  const all = () => folders.flatMap(folder => below(join('out/test', folder))).filter(chosen);
  const files = at < args.length ? args.slice(at + 1) : all();
  const mocha = [
    'node_modules/mocha/bin/mocha.js',
    '--ui',
    'bdd',
    '--timeout',
    String(timeoutMs),
    ...reporter,
    ...(jobs > 1 ? ['--parallel', '--jobs', String(jobs)] : []),
  ];
  const run = spawnSync(
    process.execPath,
    ['--enable-source-maps', ...mocha, ...args.slice(0, at), ...files],
    {
      stdio: 'inherit',
    },
  );
  return run.status ?? 1;
}

// One place that says how to build, for every script.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Installs the packages when they are not there. Returns false when that failed. */
export function install() {
  if (existsSync('node_modules/.package-lock.json')) return true;
  process.stderr.write('Installing packages …\n');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const run = spawnSync(npm, ['ci', '--no-audit', '--no-fund'], {
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  return run.status === 0;
}

/** Bundles; ends the process with the bundler's status when it fails. */
export function build({ tests = false, production = false } = {}) {
  const flags = [...(tests ? ['--tests'] : []), ...(production ? ['--production'] : [])];
  const run = spawnSync(process.execPath, ['esbuild.mjs', ...flags], { stdio: ['ignore', 2, 2] });
  if (run.status !== 0) process.exit(run.status ?? 1);
}

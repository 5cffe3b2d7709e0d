// One place that says how to install and how to build, for every script.
import { spawnSync } from 'node:child_process';
import { cleanInstall, isInstalled } from './npm.mjs';
import { root } from './root.mjs';

/** Installs the packages of the lock file when they are not all there. Returns what went wrong, or null. */
export async function install() {
  if (isInstalled(root)) return null;
  process.stderr.write('Installing packages …\n');
  const { status, output } = await cleanInstall(root);
  return status === 0 ? null : `npm ci failed: ${output.slice(-2000)}`;
}

/** Bundles; ends the process with the bundler's status when it fails. */
export function build({ tests = false, production = false } = {}) {
  const flags = [...(tests ? ['--tests'] : []), ...(production ? ['--production'] : [])];
  const run = spawnSync(process.execPath, ['esbuild.mjs', ...flags], { cwd: root, stdio: ['ignore', 2, 2] });
  if (run.status !== 0) process.exit(run.status ?? 1);
}

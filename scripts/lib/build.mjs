// One place that says how to install and how to build, for every script.
import { cleanInstall, isInstalled } from './npm.mjs';
import { run } from './processes.mjs';
import { root } from './root.mjs';

const BUILD_MS = 120_000;

/** Installs the packages of the lock file when they are not all there. Returns what went wrong, or null. */
export async function install() {
  if (isInstalled(root)) return null;
  process.stderr.write('Installing packages …\n');
  const { status, output } = await cleanInstall(root);
  if (status === 0) return null;
  return `The packages could not be installed; check the network and npm's registry.\n${output.slice(-2000)}`;
}

/**
 * Installs what is missing and bundles into `dist`. Ends the process when that fails, with the reason on stderr.
 * `tests`: true for all tests, or the folders of test/ that are needed. `packagesFile`: where to write whose code is in it.
 * HEADROOM_BUILT: whoever started this process has built what its tests need, and others are using it.
 */
export async function build({ tests = false, production = false, dist = 'dist', packagesFile } = {}) {
  if (process.env.HEADROOM_BUILT && !production && dist === 'dist') return;
  const failure = await install();
  if (failure) {
    process.stderr.write(`${failure}\n`);
    process.exit(1);
  }
  const testsFlag = Array.isArray(tests) ? `--tests=${tests.join(',')}` : '--tests';
  const flags = [
    ...[`--dist=${dist}`, ...(tests ? [testsFlag] : []), ...(production ? ['--production'] : [])],
    ...(packagesFile ? [`--packages=${packagesFile}`] : []),
  ];
  const options = { cwd: root, stdio: ['ignore', 2, 2], timeoutMs: BUILD_MS };
  const { status } = await run(process.execPath, ['esbuild.mjs', ...flags], options);
  if (status !== 0) process.exit(status ?? 1);
}

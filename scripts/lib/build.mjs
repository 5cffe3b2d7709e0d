// How every script installs and builds.
import { cleanInstall, isInstalled } from './npm.mjs';
import { run } from './processes.mjs';
import { root } from './root.mjs';

const BUILD_MS = 300_000;

/** Installs the packages of the lock file unless they are all present. Returns the error, or null. */
export async function install() {
  if (isInstalled(root)) return null;
  process.stderr.write('Installing packages …\n');
  const { status, output } = await cleanInstall(root);
  if (status === 0) return null;
  return `The packages could not be installed; check the network and npm's registry.\n${output.slice(-2000)}`;
}

/**
 * Installs missing packages and bundles into `dist`. On failure, ends the process with the reason on stderr.
 * `tests`: true for all tests, or the required folders of test/. `packagesFile`: where to write the names of
 * bundled packages. HEADROOM_BUILT: the parent process has already built everything for its tests, and other
 * processes use it.
 */
export async function build({ tests = false, production = false, dist = 'dist', packagesFile } = {}) {
  if (process.env.HEADROOM_BUILT && !production && dist === 'dist') return;
  const failure = await install();
  if (failure) {
    process.stderr.write(`${failure}\n`);
    process.exit(1);
  }
  const flags = [`--dist=${dist}`];
  if (tests) flags.push(Array.isArray(tests) ? `--tests=${tests.join(',')}` : '--tests');
  if (production) flags.push('--production');
  if (packagesFile) flags.push(`--packages=${packagesFile}`);
  const options = { cwd: root, stdio: ['ignore', 2, 2], timeoutMs: BUILD_MS };
  const { status, timedOut } = await run(process.execPath, ['esbuild.mjs', ...flags], options);
  if (status !== 0) failed(status, timedOut);
}

function failed(status, timedOut) {
  if (timedOut) process.stderr.write(`The build was stopped after ${BUILD_MS / 1000} s.\n`);
  process.exit(status ?? 1);
}

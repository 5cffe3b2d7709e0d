// Runs the suites that need Headroom's scripts in a real Python with torch: HEADROOM_TEST_PYTHON names one (`none`:
// skip); otherwise one is created once in the user's cache, from the package index. If neither is possible, the
// suite is skipped by name.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { runMocha } from './lib/mocha.mjs';
import { CannotRunHere, endWith } from './lib/suite.mjs';

/** The releases of the simulated records. */
const PACKAGES = ['torch==2.15.0', 'transformers==5.23.0', 'peft==0.21.2'];
const MINUTE = 60_000;
/** Twice the size of the packages: other suites need the rest of the disk. */
const LEAST_FREE_BYTES = 12e9;

function cached() {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(cache, 'gpu-headroom', `test-python-${PACKAGES.join('-').replaceAll('==', '-')}`);
}

function isRoomy(folder) {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= LEAST_FREE_BYTES;
}

function must(command, args, timeout, why) {
  const run = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8', timeout });
  if (run.status === 0) return;
  const last = (run.stderr ?? '').trim().split('\n').at(-1) ?? '';
  throw new CannotRunHere(`${why}${last === '' ? '' : `: ${last.slice(0, 200)}`}`);
}

/** A virtual environment with the packages; an unfinished one is recreated. */
function pythonWithTorch() {
  const named = process.env.HEADROOM_TEST_PYTHON;
  if (named === 'none') throw new CannotRunHere('HEADROOM_TEST_PYTHON=none');
  if (named) return named;
  const folder = cached();
  const python = join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  const done = join(folder, 'complete');
  if (existsSync(done)) return python;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  if (!isRoomy(folder)) throw new CannotRunHere('torch takes some GB, and the disk has little left');
  console.log(`Making a Python with ${PACKAGES.join(', ')} in ${folder} (once; some GB)`);
  try {
    must('python3', ['-m', 'venv', folder], MINUTE, 'there is no Python that makes virtual environments');
    must(
      python,
      ['-m', 'pip', 'install', '--quiet', '--no-cache-dir', ...PACKAGES],
      10 * MINUTE,
      'torch, transformers and peft cannot be installed',
    );
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  writeFileSync(done, '');
  return python;
}

/** Environments that add packages to that one: one is compared with the embedding worker, the others read data and load quantized weights. */
const ADDED = {
  HEADROOM_TEST_EMBED_PYTHON: ['sentence-transformers==6.2.0'],
  HEADROOM_TEST_DATA_PYTHON: ['datasets==5.2.0', 'diffusers==0.42.1', 'tiktoken==0.14.0'],
  HEADROOM_TEST_QUANTIZED_PYTHON: ['hqq==0.2.8.post1', 'accelerate==1.15.0', 'torchao==0.18.0'],
};

/**
 * An environment with more packages that sees those of another one without changing it; null if it is unavailable:
 * its tests are skipped by name. The variable names one.
 */
function pythonWith(base, variable) {
  const [named, packages] = [process.env[variable], ADDED[variable]];
  if (named) return named;
  if (process.platform === 'win32') return null;
  const folder = `${cached()}-${packages[0].replace('==', '-')}`;
  const python = join(folder, 'bin/python');
  if (existsSync(join(folder, 'complete'))) return python;
  rmSync(folder, { recursive: true, force: true });
  try {
    must(base, ['-m', 'venv', folder], MINUTE, 'no environment');
    const where = ['-c', 'import sysconfig; print(sysconfig.get_path("purelib"))'];
    const below = spawnSync(base, where, { encoding: 'utf8' }).stdout.trim();
    const lib = join(folder, 'lib');
    const [release = ''] = readdirSync(lib);
    writeFileSync(join(lib, release, 'site-packages', 'base.pth'), `${below}\n`);
    const install = ['-m', 'pip', 'install', '--quiet', '--no-cache-dir', ...packages];
    must(python, install, 5 * MINUTE, 'it cannot be installed');
  } catch {
    rmSync(folder, { recursive: true, force: true });
    return null;
  }
  writeFileSync(join(folder, 'complete'), '');
  return python;
}

await endWith(async () => {
  process.env.HEADROOM_TEST_PYTHON = pythonWithTorch();
  for (const variable of Object.keys(ADDED)) {
    const python = pythonWith(process.env.HEADROOM_TEST_PYTHON, variable);
    if (python) process.env[variable] = python;
  }
  return runMocha('profile', ['profile'], { timeoutMs: 5 * MINUTE, args: process.argv.slice(2) });
});

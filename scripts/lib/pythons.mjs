// Pythons that suites need, each created once in the user's cache, from the package index.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CannotRunHere } from './suite.mjs';

const MINUTE = 60_000;
/** Twice the size of torch and its libraries: other suites need the rest of the disk. */
const LEAST_FREE_BYTES = 12e9;

/** Where the Python of this name is cached. */
export const cachedPython = name =>
  join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'gpu-headroom', name);

function must(command, args, timeout, why) {
  const run = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8', timeout });
  if (run.status === 0) return;
  const last = (run.stderr ?? '').trim().split('\n').at(-1) ?? '';
  throw new CannotRunHere(`${why}${last === '' ? '' : `: ${last.slice(0, 200)}`}`);
}

/**
 * A virtual environment with these packages; an unfinished one is recreated. `base`: the Python that makes it.
 * `sees`: the folder of packages that it can use without changing them. Throws CannotRunHere if it cannot be made.
 */
function environment(folder, packages, { base = 'python3', sees, minutes }) {
  const python = join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  const done = join(folder, 'complete');
  if (existsSync(done)) return python;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    must(base, ['-m', 'venv', folder], MINUTE, 'there is no Python that makes virtual environments');
    if (sees) {
      const lib = join(folder, 'lib');
      const [release = ''] = readdirSync(lib);
      writeFileSync(join(lib, release, 'site-packages', 'base.pth'), `${sees}\n`);
    }
    const install = ['-m', 'pip', 'install', '--quiet', '--no-cache-dir', ...packages];
    must(python, install, minutes * MINUTE, `${packages.join(', ').slice(0, 80)} cannot be installed`);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  writeFileSync(done, '');
  return python;
}

/** A Python with torch and these packages: the one that the variable names (`none`: none), or a cached one. */
export function pythonWithTorch(variable, name, packages) {
  const named = process.env[variable];
  if (named === 'none') throw new CannotRunHere(`${variable}=none`);
  if (named) return named;
  const folder = cachedPython(name);
  if (!existsSync(join(folder, 'complete'))) {
    mkdirSync(folder, { recursive: true });
    const { bavail, bsize } = statfsSync(folder);
    const isRoomy = bavail * bsize >= LEAST_FREE_BYTES;
    if (!isRoomy) throw new CannotRunHere('torch takes some GB, and the disk has little left');
    console.log(`Making a Python with ${packages.join(', ')} in ${folder} (once; some GB)`);
  }
  return environment(folder, packages, { minutes: 10 });
}

/**
 * An environment with more packages that sees those of another one without changing it; null if it is unavailable:
 * its tests are skipped by name. The variable names one.
 */
export function pythonWith(base, variable, name, packages) {
  const named = process.env[variable];
  if (named) return named;
  if (process.platform === 'win32') return null;
  const where = ['-c', 'import sysconfig; print(sysconfig.get_path("purelib"))'];
  const sees = spawnSync(base, where, { encoding: 'utf8' }).stdout?.trim();
  try {
    return environment(cachedPython(name), packages, { base, sees, minutes: 5 });
  } catch {
    return null;
  }
}

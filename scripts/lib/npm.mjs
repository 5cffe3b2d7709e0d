// npm by argv on every system: no shell, so no quoting.
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { run } from './processes.mjs';

/** The npm that runs this script, else the one next to Node, else the one on the PATH. */
function npmProgram() {
  const beside = join(dirname(process.execPath), 'node_modules/npm/bin/npm-cli.js');
  const scripts = [process.env.npm_execpath, beside];
  const cli = scripts.find(file => file && basename(file) === 'npm-cli.js' && existsSync(file));
  return cli ? [process.execPath, cli] : ['npm'];
}

/** Runs npm quietly; `output` contains its messages. */
export function npm(args, options) {
  const [command, ...first] = npmProgram();
  return run(command, [...first, ...args], options);
}

/** Installs exactly the lock file in `folder`, without running packages' scripts. */
export function cleanInstall(folder) {
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  return npm(['ci', '--prefer-offline', ...quiet], { cwd: folder, timeoutMs: 300_000 });
}

const packagesOf = file => JSON.parse(readFileSync(file, 'utf8')).packages;

/** Whether node_modules matches the lock file; packages for other systems are optional. */
export function isInstalled(folder) {
  const record = join(folder, 'node_modules/.package-lock.json');
  if (!existsSync(record)) return false;
  const have = packagesOf(record);
  return Object.entries(packagesOf(join(folder, 'package-lock.json'))).every(([path, wanted]) => {
    if (path === '') return true;
    return have[path] ? have[path].version === wanted.version : Boolean(wanted.optional);
  });
}

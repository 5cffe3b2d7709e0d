import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const folders = new Set();
function discard(folder) {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  } catch (error) {
    // Another user's, or still in use: the next run tries again.
    console.error(`${folder} could not be removed: ${error.message}`);
  }
}
process.once('exit', () => folders.forEach(discard));

/** A new folder in the system's temporary folder; removed by `remove()`, or when this process ends. */
export function temporaryFolder(prefix) {
  const folder = mkdtempSync(join(tmpdir(), `${prefix}-`));
  folders.add(folder);
  const remove = () => {
    folders.delete(folder);
    discard(folder);
  };
  return { folder, remove };
}

/** `hr<pid>-XXXXXX`. Short, because socket paths below it are limited to about a hundred characters. */
const ROOT = /^hr(\d+)-\w{6}$/;

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/**
 * From now on, all temporary files of this process and its children go to one folder, which is removed with this
 * process. Leftovers of killed runs are removed now. Linux only: elsewhere paths are too long for it.
 */
export function underOneRoot() {
  const system = tmpdir();
  if (process.platform !== 'linux' || ROOT.test(basename(system))) return;
  for (const name of readdirSync(system)) {
    const pid = Number(ROOT.exec(name)?.[1] ?? NaN);
    if (pid > 0 && !isRunning(pid)) discard(join(system, name));
  }
  const folder = mkdtempSync(join(system, `hr${process.pid}-`));
  // Daemons of other users create files below it, as in the system's own folder.
  chmodSync(folder, 0o1777);
  folders.add(folder);
  process.env.TMPDIR = folder;
}

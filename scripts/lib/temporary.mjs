import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const folders = new Set();
function discard(folder) {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  } catch (error) {
    // Another user's, or still written to: the next run tries again.
    console.error(`${folder} could not be removed: ${error.message}`);
  }
}
process.once('exit', () => folders.forEach(discard));

/** A new folder among the system's temporary ones; gone with `remove()`, at the latest when this process ends. */
export function temporaryFolder(prefix) {
  const folder = mkdtempSync(join(tmpdir(), `${prefix}-`));
  folders.add(folder);
  const remove = () => {
    folders.delete(folder);
    discard(folder);
  };
  return { folder, remove };
}

/** `hr<pid>-XXXXXX`. Short: paths of sockets below it may have a hundred characters. */
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
 * From now on all that this process and its children make among temporary files lies in one folder, which goes with this
 * process. What runs that were killed have left goes now. Elsewhere than on Linux paths are too long for it.
 */
export function underOneRoot() {
  const system = tmpdir();
  if (process.platform !== 'linux' || ROOT.test(basename(system))) return;
  for (const name of readdirSync(system)) {
    const pid = Number(ROOT.exec(name)?.[1] ?? NaN);
    if (pid > 0 && !isRunning(pid)) discard(join(system, name));
  }
  const folder = mkdtempSync(join(system, `hr${process.pid}-`));
  // Daemons of other users have files below it, as they have in the system's own.
  chmodSync(folder, 0o1777);
  folders.add(folder);
  process.env.TMPDIR = folder;
}

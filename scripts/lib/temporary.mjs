import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders = new Set();
const discard = folder => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
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

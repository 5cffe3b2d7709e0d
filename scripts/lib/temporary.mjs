import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder among the system's temporary ones; gone with `remove()`, at the latest when this process ends. */
export function temporaryFolder(prefix) {
  const folder = mkdtempSync(join(tmpdir(), `${prefix}-`));
  const discard = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  process.once('exit', discard);
  const remove = () => {
    process.off('exit', discard);
    discard();
  };
  return { folder, remove };
}

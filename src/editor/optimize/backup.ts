import type { Uri } from 'vscode';
import { FileSystemError, workspace } from 'vscode';
import { backupName } from './undoRecord';

/** Copies a file byte for byte to the first free backup name next to it. Never overwrites an older backup. */
export async function writeBackup(file: Uri): Promise<Uri> {
  for (let n = 0; ; n++) {
    const backup = file.with({ path: backupName(file.path, n) });
    try {
      await workspace.fs.copy(file, backup, { overwrite: false });
      return backup;
    } catch (error) {
      if (!(error instanceof FileSystemError && error.code === 'FileExists')) throw error;
    }
  }
}

/** Writes a file's earlier content to the first free backup name next to it. */
export async function writeBackupOf(file: Uri, content: Uint8Array): Promise<Uri> {
  for (let n = 0; ; n++) {
    const backup = file.with({ path: backupName(file.path, n) });
    if (await exists(backup)) continue;
    await workspace.fs.writeFile(backup, content);
    return backup;
  }
}

async function exists(file: Uri): Promise<boolean> {
  try {
    await workspace.fs.stat(file);
    return true;
  } catch (error) {
    if (error instanceof FileSystemError && error.code === 'FileNotFound') return false;
    throw error;
  }
}

/** Removes a backup that equals the file itself. */
export async function removeIfSame(file: Uri, backup: Uri): Promise<void> {
  try {
    const [now, then] = await Promise.all([workspace.fs.readFile(file), workspace.fs.readFile(backup)]);
    if (sameBytes(now, then)) await workspace.fs.delete(backup);
  } catch {
    // The user moved the backup away: leave it.
  }
}

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i]);

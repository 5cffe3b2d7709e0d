import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { FilePermission, workspace } from 'vscode';
import type { Uri } from 'vscode';

const WRITE_BITS = 0o222;

/** May a file be written? One without any write permission may not, not even by a user who could. */
export async function isWritable(uri: Uri): Promise<boolean> {
  if (workspace.fs.isWritableFileSystem(uri.scheme) === false) return false;
  try {
    if (uri.scheme === 'file') return await isWritableOnDisk(uri.fsPath);
    const { permissions } = await workspace.fs.stat(uri);
    return permissions === undefined || (permissions & FilePermission.Readonly) === 0;
  } catch {
    return false;
  }
}

async function isWritableOnDisk(file: string): Promise<boolean> {
  await access(file, constants.W_OK);
  return ((await stat(file)).mode & WRITE_BITS) !== 0;
}

import { writeSync } from 'node:fs';
import { open, readdir, rename, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { replaceFile } from '../../files/replaceFile';

/** Writes all bytes at a position: the system may write them in parts. */
export function writeAll(fd: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.byteLength;) {
    done += writeSync(fd, bytes, done, bytes.byteLength - done, position + done);
  }
}

/** Replaces a file, and syncs its name to disk. */
export async function replaceSynced(path: string, text: string): Promise<void> {
  await replaceFile(path, text);
  await syncFolder(dirname(path));
}

/**
 * Removes temporary files of a process that was killed during a replacement; call it only with the folder locked.
 */
export async function clearTemporaries(folder: string): Promise<void> {
  const names = await readdir(folder);
  const left = names.filter(name => /^(?:manifest|shard-\d+)\..*\.tmp$/.test(name));
  await Promise.all(left.map(name => rm(join(folder, name), { force: true })));
}

/** Renames a file, and syncs the new name to disk. */
export async function moveTo(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncFolder(dirname(to));
}

/** Syncs a folder's entries to disk; Windows has no such call and does it by itself. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Reads a number of bytes from a position; fewer at the end. */
export async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let got = 0;
  while (got < length) {
    const { bytesRead } = await handle.read(buffer, got, length - got, position + got);
    if (bytesRead === 0) break;
    got += bytesRead;
  }
  return buffer.subarray(0, got);
}

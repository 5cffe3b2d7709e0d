import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';

const WRITE_BITS = 0o222;

/** Rejects if the file may not be written. */
export async function isWritableOnDisk(file: string): Promise<boolean> {
  await access(file, constants.W_OK);
  return ((await stat(file)).mode & WRITE_BITS) !== 0;
}

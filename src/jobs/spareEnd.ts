import { lstat, mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { writeWhole } from './files';
import { isJobId } from './id';
import { readExitFile } from './processFile';
import type { ExitFile } from './processFile';

/** Keeps ends that could not be written to the state folder: usually on another disk. */
const folder = (): string => join(tmpdir(), `headroom-ends-${process.getuid?.() ?? 'own'}`);

const pathOf = (id: string): string => join(folder(), `${isJobId(id) ? id : 'none'}.json`);

/** Anyone can create folders there, so a folder that someone else made, or may write to, is not trusted. */
async function isOurs(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  if (!found?.isDirectory()) return false;
  return process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0);
}

/** Stores a job's end if the state folder is not writable; false if this fails too. */
export async function keepSpareEnd(id: string, text: string): Promise<boolean> {
  const path = pathOf(id);
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    if (!(await isOurs(dirname(path)))) return false;
    await writeWhole(path, text);
    return true;
  } catch {
    return false;
  }
}

export async function readSpareEnd(id: string): Promise<ExitFile | null> {
  const path = pathOf(id);
  return (await isOurs(dirname(path))) ? readExitFile(path) : null;
}

/** Call once the end is in the state folder. */
export async function dropSpareEnd(id: string): Promise<void> {
  await rm(pathOf(id), { force: true }).catch(() => undefined);
}

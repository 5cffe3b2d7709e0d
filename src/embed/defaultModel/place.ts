import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** The temporary name of a folder that this process creates atomically. */
export const partOf = (folder: string): string => `${folder}.${process.pid}.part`;

/** Removes folders that killed processes left unfinished; those of live processes stay. */
export async function removeLeft(folder: string): Promise<void> {
  const parent = dirname(folder);
  for (const name of await readdir(parent).catch(() => [])) {
    if (!name.startsWith(`${basename(folder)}.`) || !name.endsWith('.part')) continue;
    const pid = Number(name.slice(basename(folder).length + 1, -'.part'.length));
    if (Number.isInteger(pid) && pid > 0 && pid !== process.pid && hasEnded(pid)) {
      await rm(join(parent, name), { recursive: true, force: true });
    }
  }
}

function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

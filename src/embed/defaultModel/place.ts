import { readdir, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** The user's cache folder on each system. */
export function cacheFolder(
  variables: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const own = variables['HEADROOM_CACHE'];
  if (own) return own;
  const home = homedir();
  if (platform === 'win32') return join(variables['LOCALAPPDATA'] ?? join(home, 'AppData/Local'), 'headroom');
  if (platform === 'darwin') return join(home, 'Library/Caches/headroom');
  const caches = variables['XDG_CACHE_HOME'];
  return join(caches === undefined || caches === '' ? join(home, '.cache') : caches, 'headroom');
}

/** The temporary name of a folder that this process creates atomically. */
export const partOf = (folder: string): string => `${folder}.${process.pid}.part`;

/** Removes folders that killed processes left unfinished; those of live processes stay. */
export async function removeLeft(folder: string): Promise<void> {
  const parent = dirname(folder);
  for (const name of await readdir(parent).catch(() => [])) {
    if (!name.startsWith(`${basename(folder)}.`) || !name.endsWith('.part')) continue;
    const pid = Number(name.slice(basename(folder).length + 1, -'.part'.length));
    if (Number.isInteger(pid) && pid > 0 && pid !== process.pid && isGone(pid)) {
      await rm(join(parent, name), { recursive: true, force: true });
    }
  }
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

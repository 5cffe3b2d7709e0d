import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** The user's cache folder of Headroom on each system; `HEADROOM_CACHE` replaces it. */
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
  // Ignores a relative folder (XDG Base Directory Specification).
  return join(caches !== undefined && isAbsolute(caches) ? caches : join(home, '.cache'), 'headroom');
}

/** The folder of downloads from the Hugging Face Hub; readers need not know who downloads. */
export const hubDownloads = (variables?: Readonly<Record<string, string | undefined>>): string =>
  join(cacheFolder(variables), 'hub');

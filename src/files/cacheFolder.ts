import { homedir } from 'node:os';
import { join } from 'node:path';

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

/** Where downloads from the Hugging Face Hub are kept; whoever reads them there need not know who downloads. */
export const hubDownloads = (
  variables?: Readonly<Record<string, string | undefined>>,
  platform?: NodeJS.Platform,
): string => join(cacheFolder(variables, platform), 'hub');

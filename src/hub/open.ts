import { hubDownloads } from '../files/cacheFolder';
import { downloadModel } from './download';
import type { Downloaded } from './download';
import { hubSettings } from './settings';

/** Downloads a model's facts to the user's cache, by the variables of this process. */
export async function downloadToCache(id: string, signal: AbortSignal): Promise<Downloaded> {
  const settings = hubSettings(process.env);
  if ('why' in settings) return { ok: false, why: settings.why };
  return downloadModel(id, settings, { folder: hubDownloads(), now: () => new Date() }, signal);
}

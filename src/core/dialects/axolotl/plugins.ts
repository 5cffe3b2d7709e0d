import type { RunReader } from '../engine/runReader';

/** True when a plugin is listed, under whatever module it lives in. */
export const hasPlugin = (run: RunReader, plugin: string): boolean =>
  run.words('plugins')?.some(name => name.endsWith(plugin)) === true;

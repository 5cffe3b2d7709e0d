import type { RunReader } from '../engine/runReader';

/** True if a plugin is listed, whatever its module. */
export const hasPlugin = (run: RunReader, plugin: string): boolean =>
  run.words('plugins')?.some(name => name.endsWith(plugin)) === true;

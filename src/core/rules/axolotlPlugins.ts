import { textsOf } from './raw';
import type { Keys } from './raw';

/** `LigerPlugin` of `axolotl.integrations.liger.LigerPlugin`. */
export const pluginName = (plugin: string): string => plugin.slice(plugin.lastIndexOf('.') + 1);

/** Names of the listed plugins; null when somebody's own is among them, whose keys nobody here knows. */
export function pluginNames(keys: Keys): readonly string[] | null {
  const plugins = textsOf(keys, 'plugins');
  return plugins?.every(plugin => plugin.startsWith('axolotl.')) ? plugins.map(pluginName) : null;
}

import keysByPlugin from './data/axolotlKeys.json';
import { isOn, isStated, textsOf } from './raw';
import type { Keys } from './raw';
import { AXOLOTL } from './rule';
import type { Rule } from './rule';
import { listed, quoted } from './when';

/** `LigerPlugin` of `axolotl.integrations.liger.LigerPlugin`. */
const pluginName = (plugin: string): string => plugin.slice(plugin.lastIndexOf('.') + 1);

/** Names of the listed plugins; null if one of them is user-defined, because its keys are unknown. */
export function pluginNames(keys: Keys): readonly string[] | null {
  const plugins = textsOf(keys, 'plugins');
  return plugins?.every(plugin => plugin.startsWith('axolotl.')) ? plugins.map(pluginName) : null;
}

/** True if a config lists user-defined plugins, whose keys are unknown. */
export const hasOwnPlugins = (keys: Keys): boolean => isStated(keys, 'plugins') && pluginNames(keys) === null;

/** Plugins with distinctive keys; names such as `recipe` could belong to anything. */
const DISTINCTIVE = [
  'CutCrossEntropyPlugin',
  'DenseMixerPlugin',
  'ExpertParallelPlugin',
  'GrokfastPlugin',
  'KDPlugin',
  'KernelsPlugin',
  'LigerPlugin',
  'LMEvalPlugin',
  'SpectrumPlugin',
];

export const pluginMissing: Rule = {
  id: 'plugin-missing',
  severity: 'warning',
  summary: 'A key belongs to a plugin that is not listed, so it is ignored.',
  sources: [
    "axolotl 0.18 utils/config/__init__.py validate_config: a plugin's keys exist only once it is listed",
    'axolotl 0.18 integrations/*/args.py',
  ],
  dialects: AXOLOTL,
  check(context) {
    const listedPlugins = pluginNames(context);
    if (!listedPlugins) return [];
    return Object.entries(keysByPlugin.plugins).flatMap(([plugin, keys]) => {
      const name = pluginName(plugin);
      if (!DISTINCTIVE.includes(name) || listedPlugins.includes(name)) return [];
      const [first, ...others] = keys.filter(key => isOn(context, key));
      if (first === undefined) return [];
      const key = quoted(context, first);
      const message =
        others.length === 0
          ? context.say(
              'Axolotl ignores {0} without its plugin. Add {1} to plugins, or remove the key.',
              key,
              plugin,
            )
          : context.say(
              'Axolotl ignores {0} (and {1}) without its plugin. Add {2} to plugins, or remove the keys.',
              key,
              listed(context.say, others),
              plugin,
            );
      return [{ at: [first], message }];
    });
  },
};

import { pluginNames } from './axolotlPlugins';
import type { Rule } from './rule';
import { AXOLOTL } from './dialectGroups';
import { isOn, numberOf } from './raw';
import { quoted, setKey } from './when';

const KEYS = ['liger_rms_norm', 'liger_fused_linear_cross_entropy'];

export const tensorParallelLiger: Rule = {
  id: 'tensor-parallel-liger',
  severity: 'error',
  summary: "Liger's norm and fused loss do not work with tensor parallelism.",
  sources: ['axolotl 0.18 integrations/liger/args.py; linkedin/Liger-Kernel issue 826'],
  dialects: AXOLOTL,
  check(context) {
    const liger = pluginNames(context)?.includes('LigerPlugin');
    if (!liger || (numberOf(context, 'tensor_parallel_size') ?? 1) <= 1) return [];
    return KEYS.filter(key => isOn(context, key)).map(key => ({
      at: [key],
      message: `Axolotl rejects ${quoted(context, key)} with ${quoted(context, 'tensor_parallel_size')}. Set ${key} to false.`,
      remedies: [setKey(key, false)],
    }));
  },
};

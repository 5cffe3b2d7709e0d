import { pluginNames } from './plugins';
import { isOn, numberOf } from './raw';
import { AXOLOTL } from './rule';
import type { Rule } from './rule';
import { is, isAbove, quoted, setKey, when } from './when';

export const tensorParallel8bitOptimizer: Rule = {
  id: 'tensor-parallel-8bit-optimizer',
  severity: 'warning',
  summary: 'bitsandbytes 8-bit optimizers are not meant for tensor parallelism.',
  sources: [
    'axolotl 0.18 utils/schemas/validation.py L1772 check_tensor_parallel_optimizer: written, but in no class that is used',
    'axolotl 0.18 the same, check_fsdp2_w_8bit_optimizer: “CUDA ops errors with bnb 8bit optimizer” on sharded tensors',
  ],
  dialects: AXOLOTL,
  check: when(
    [isAbove('tensor_parallel_size', 1), is('optimizer', 'paged_adamw_8bit', 'adamw_8bit', 'adamw_bnb_8bit')],
    (quote, { say }) => ({
      at: ['optimizer'],
      message: say(
        "{0} is not meant for {1}: bitsandbytes can't split its states. Use adamw_torch_fused or adamw_torch_8bit.",
        quote('optimizer'),
        quote('tensor_parallel_size'),
      ),
      remedies: [setKey('optimizer', 'adamw_torch_fused')],
    }),
  ),
};

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
      message: context.say(
        'Axolotl rejects {0} with {1}. Set {2} to false.',
        quoted(context, key),
        quoted(context, 'tensor_parallel_size'),
        key,
      ),
      remedies: [setKey(key, false)],
    }));
  },
};

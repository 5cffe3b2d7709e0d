import type { Rule } from './rule';
import { AXOLOTL } from './dialectGroups';
import { above, is, setKey, when } from './when';

export const tensorParallel8bitOptimizer: Rule = {
  id: 'tensor-parallel-8bit-optimizer',
  severity: 'error',
  summary: 'bitsandbytes 8-bit optimizers do not work with tensor parallelism.',
  sources: ['axolotl 0.18 utils/schemas/validation.py check_tensor_parallel_optimizer'],
  dialects: AXOLOTL,
  check: when(
    [above('tensor_parallel_size', 1), is('optimizer', 'paged_adamw_8bit', 'adamw_8bit', 'adamw_bnb_8bit')],
    quote => ({
      at: ['optimizer'],
      message: `Axolotl refuses ${quote('optimizer')} with ${quote('tensor_parallel_size')}. Use adamw_torch_fused.`,
      remedies: [setKey('optimizer', 'adamw_torch_fused')],
    }),
  ),
};

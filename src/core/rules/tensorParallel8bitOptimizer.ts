import type { Rule } from './rule';
import { AXOLOTL } from './dialectGroups';
import { isAbove, is, setKey, when } from './when';

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
    quote => ({
      at: ['optimizer'],
      message:
        `${quote('optimizer')} is not meant for ${quote('tensor_parallel_size')}: bitsandbytes' kernels do not know tensors that are split over GPUs. ` +
        'Use adamw_torch_fused or adamw_torch_8bit.',
      remedies: [setKey('optimizer', 'adamw_torch_fused')],
    }),
  ),
};

import type { Rule } from './rule';
import { AXOLOTL } from './dialectGroups';
import { fsdpOn, fsdpVersion } from './axolotlFsdp';
import { isOn, textOf } from './raw';
import { quoted, setKey } from './when';

/** bitsandbytes' own, whose CUDA kernels do not know sharded tensors. */
const BITSANDBYTES = ['adamw_8bit', 'adamw_bnb_8bit'];

export const fsdp8bitOptimizer: Rule = {
  id: 'fsdp-8bit-optimizer',
  severity: 'error',
  summary: 'This 8-bit optimizer does not work with this FSDP setup.',
  sources: [
    'axolotl 0.18 utils/schemas/validation.py check_fsdp2_w_8bit_optimizer, check_fsdp_offload_w_8bit_optimizer',
  ],
  dialects: AXOLOTL,
  check(context) {
    const optimizer = textOf(context, 'optimizer');
    if (!optimizer?.includes('8bit') || !isOn(context, 'fsdp_config')) return [];
    const version2 = fsdpVersion(context) === 2;
    const refused = version2 ? BITSANDBYTES.includes(optimizer) : fsdpOn(context, 'offload_params');
    if (!refused) return [];
    const why = version2
      ? 'FSDP2, whose sharded tensors its kernels do not know'
      : 'FSDP1 with offloaded parameters';
    const better = version2 ? 'adamw_torch_8bit' : 'adamw_torch_fused';
    const message = `Axolotl rejects ${quoted(context, 'optimizer')} with ${why}. Use ${better}.`;
    return [{ at: ['optimizer'], message, remedies: [setKey('optimizer', better)] }];
  },
};

import type { Rule } from './rule';
import { AXOLOTL } from './dialectGroups';
import { fsdpVersion, hasFsdp } from './axolotlFsdp';
import { isOn, textOf } from './raw';
import { quoted } from './when';

/** Optimizers that work on whole matrices or with kernels of their own. */
const WHOLE = /^(?:muon|flash_\w+|q_galore_adamw8bit)$/;

export const optimizerNotShardable: Rule = {
  id: 'optimizer-not-shardable',
  severity: 'error',
  summary: 'This optimizer works neither with DeepSpeed nor with FSDP1.',
  sources: [
    'axolotl 0.18 utils/schemas/validation.py check_muon_deepspeed_fsdp, check_flashoptim_deepspeed_fsdp, check_qgalore',
  ],
  dialects: AXOLOTL,
  check(context) {
    if (!WHOLE.test(textOf(context, 'optimizer') ?? '')) return [];
    const deepspeed = isOn(context, 'deepspeed');
    const fsdp1 = hasFsdp(context) && (fsdpVersion(context) ?? 1) !== 2;
    if (!deepspeed && !fsdp1) return [];
    const message = `Axolotl rejects ${quoted(context, 'optimizer')} with ${deepspeed ? 'DeepSpeed' : 'FSDP1'}. Use FSDP2 (fsdp_version: 2), or another optimizer.`;
    return [{ at: ['optimizer'], message }];
  },
};

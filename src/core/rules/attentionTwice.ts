import type { Rule } from './rule';
import { AXOLOTL } from './dialectGroups';
import { isOn } from './raw';
import { listed, quoted } from './when';

const FLAGS = [
  'xformers_attention',
  'sage_attention',
  'flex_attention',
  'flash_attention',
  'sdp_attention',
  'eager_attention',
];

export const attentionTwice: Rule = {
  id: 'attention-twice',
  severity: 'warning',
  summary: '`attn_implementation` and an old attention switch are both set.',
  sources: ['axolotl 0.18 utils/schemas/config.py normalize_attn_implementation (since 0.17)'],
  dialects: AXOLOTL,
  check(context) {
    const flags = FLAGS.filter(flag => isOn(context, flag));
    if (!isOn(context, 'attn_implementation') || flags.length === 0) return [];
    const message =
      `Axolotl 0.17 and newer reject ${quoted(context, 'attn_implementation')} together with ${listed(flags.map(flag => quoted(context, flag)))}. ` +
      'Keep attn_implementation.';
    return [{ at: flags, message }];
  },
};

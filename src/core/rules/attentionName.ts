import type { Rule } from './rule';
import { AXOLOTL } from './dialectGroups';
import { textOf } from './raw';
import { setKey } from './when';

/** Short names that Axolotl refuses, and the names it wants. */
const SHORT: Readonly<Record<string, string>> = {
  flash: 'flash_attention_2',
  flex: 'flex_attention',
  sdp: 'sdpa',
};

export const attentionName: Rule = {
  id: 'attention-name',
  severity: 'error',
  summary: '`attn_implementation` has a short name that is rejected.',
  sources: [
    'axolotl 0.18 utils/schemas/config.py validate_attn_implementation; enums.py SHORT_FORM_ALIAS_TO_CANONICAL',
  ],
  dialects: AXOLOTL,
  check(context) {
    const name = textOf(context, 'attn_implementation') ?? '';
    const full = Object.hasOwn(SHORT, name) ? SHORT[name] : undefined;
    if (full === undefined) return [];
    const message = `Axolotl rejects \`attn_implementation: ${name}\`. Write ${full}.`;
    return [{ at: ['attn_implementation'], message, remedies: [setKey('attn_implementation', full)] }];
  },
};

import type { Rule, RuleContext } from './rule';
import { AXOLOTL } from './dialectGroups';
import { numberOf } from './raw';
import { not, on, readable, when } from './when';

const KEY = 'fp8_enable_fsdp_float8_all_gather';

export const fp8AllGather: Rule = {
  id: 'fp8-all-gather',
  severity: 'error',
  summary: 'Gathering FP8 weights needs FSDP2.',
  sources: ['axolotl 0.18 utils/schemas/validation.py check_fp8_config'],
  dialects: AXOLOTL,
  check: when([on(KEY), readable('fsdp_version'), not(version2)], quote => ({
    at: [KEY],
    message: `Axolotl rejects ${quote(KEY)} unless fsdp_version is 2. Use FSDP2, or remove the key.`,
  })),
};

/** The check reads the top-level key before it is filled in from fsdp_config. */
function version2(context: RuleContext): boolean {
  return numberOf(context, 'fsdp_version') === 2;
}

import type { Rule } from './rule';
import { AXOLOTL } from './dialectGroups';
import { isOn } from './raw';
import { quoted } from './when';

/** Two ways to say one thing. */
const PAIRS: readonly (readonly [one: string, other: string, what: string])[] = [
  ['warmup_steps', 'warmup_ratio', 'the warm-up'],
  ['save_steps', 'saves_per_epoch', 'when to save'],
  ['eval_steps', 'evals_per_epoch', 'when to evaluate'],
  ['val_set_size', 'test_datasets', 'what to evaluate on'],
  ['max_memory', 'gpu_memory_limit', 'the memory limit'],
];

export const exclusiveKeys: Rule = {
  id: 'exclusive-keys',
  severity: 'error',
  summary: 'Two keys that cannot be combined are both set.',
  sources: [
    'axolotl 0.18 utils/schemas/validation.py check_warmup, check_saves, check_evals, check_val_w_test_datasets, check_mem_mismatch',
  ],
  dialects: AXOLOTL,
  check(context) {
    return PAIRS.filter(([one, other]) => isOn(context, one) && isOn(context, other)).map(
      ([one, other, what]) => ({
        at: [other, one],
        message: `Axolotl rejects ${quoted(context, one)} together with ${quoted(context, other)}: both set ${what}. Remove one.`,
      }),
    );
  },
};

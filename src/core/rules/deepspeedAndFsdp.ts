import type { Rule, RuleContext } from './rule';
import { ON_TRAINER } from './dialectGroups';
import { hasFsdp } from './axolotlFsdp';
import { isOn } from './raw';
import { on, when } from './when';

export const deepspeedAndFsdp: Rule = {
  id: 'deepspeed-and-fsdp',
  severity: 'error',
  summary: 'DeepSpeed and FSDP are both configured.',
  sources: [
    'transformers 5.18 trainer.py L460: “Using --fsdp xxx together with --deepspeed is not possible”',
    'axolotl 0.18 utils/schemas/validation.py check_fsdp_deepspeed (legacy `fsdp` only), core/builders/base.py L684',
  ],
  dialects: ON_TRAINER,
  check: when([on('deepspeed'), shardsToo], (quote, context) => {
    const key = isOn(context, 'fsdp') ? 'fsdp' : 'fsdp_config';
    return {
      at: [key],
      message: `${quote('deepspeed')} and ${quote(key)} cannot shard one model together, and the trainer stops. Remove one of them.`,
    };
  }),
};

/** Axolotl shards for `fsdp_config` alone; TrainingArguments only for `fsdp`. */
function shardsToo(context: RuleContext): boolean {
  return context.run.dialect === 'axolotl' ? hasFsdp(context) : isOn(context, 'fsdp');
}

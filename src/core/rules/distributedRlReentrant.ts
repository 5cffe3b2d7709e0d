import type { Rule, RuleContext } from './rule';
import { AXOLOTL } from './dialectGroups';
import { exactly, is, on, setKey, when } from './when';

const KEY = 'gradient_checkpointing_kwargs.use_reentrant';

export const distributedRlReentrant: Rule = {
  id: 'distributed-rl-reentrant',
  severity: 'error',
  summary: 'Preference training of QLoRA on several GPUs needs non-reentrant checkpointing.',
  sources: ['axolotl 0.18 utils/schemas/validation.py check_rl_config_gradient_checkpointing'],
  dialects: AXOLOTL,
  check: when(
    [
      severalGpus,
      on('rl', 'gradient_checkpointing', 'load_in_4bit'),
      is('adapter', 'qlora'),
      exactly(KEY, true),
    ],
    (quote, { run }) => ({
      at: [KEY],
      message:
        `On ${run.quantities.gpus.value ?? ''} GPUs, Axolotl rejects ${quote(KEY)} with ${quote('rl')} and QLoRA. ` +
        'Set use_reentrant to false.',
      remedies: [setKey(KEY, false)],
    }),
  ),
};

function severalGpus({ run }: RuleContext): boolean {
  return (run.quantities.gpus.value ?? 1) > 1;
}

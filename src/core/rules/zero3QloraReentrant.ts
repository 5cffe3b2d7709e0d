import type { Rule } from './rule';
import { AXOLOTL } from './dialectGroups';
import { equals, exactly, is, on, setKey, when } from './when';

const KEY = 'gradient_checkpointing_kwargs.use_reentrant';

export const zero3QloraReentrant: Rule = {
  id: 'zero3-qlora-reentrant',
  severity: 'warning',
  summary: 'QLoRA under ZeRO-3 with non-reentrant checkpointing can stop with a CheckpointError.',
  sources: ['axolotl 0.18 utils/schemas/validation.py warn_qlora_zero3_w_use_reentrant'],
  dialects: AXOLOTL,
  check: when(
    [is('adapter', 'qlora'), on('deepspeed'), equals('zeroStage', 3), exactly(KEY, false)],
    quote => ({
      at: [KEY],
      message:
        `QLoRA under ZeRO-3 with ${quote(KEY)} may stop with a CheckpointError: recomputed tensors differ in shape from the gathered ones. ` +
        'Set use_reentrant to true.',
      remedies: [setKey(KEY, true)],
    }),
  ),
};

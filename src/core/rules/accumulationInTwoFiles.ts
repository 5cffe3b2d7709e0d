import type { Rule } from './rule';
import { TRAINING_ARGUMENTS } from './dialectGroups';
import { fileOf, numberOf } from './raw';

const KEY = 'deepspeed_config.gradient_accumulation_steps';

export const accumulationInTwoFiles: Rule = {
  id: 'accumulation-in-two-files',
  severity: 'error',
  summary: 'The accelerate file and the config state different gradient accumulation.',
  sources: [
    'transformers 5.18 integrations/deepspeed.py L268; accelerate 1.15 utils/dataclasses.py DeepSpeedPlugin',
  ],
  dialects: TRAINING_ARGUMENTS,
  check({ run }) {
    const launcher = fileOf(run, 'accelerate');
    const theirs = launcher && numberOf(launcher, KEY);
    const { gradAccum } = run.quantities;
    if (theirs === null || gradAccum.origin.kind !== 'file' || gradAccum.value === theirs) return [];
    const message =
      `\`gradient_accumulation_steps\` is ${gradAccum.value ?? ''} here and ${theirs} in the accelerate file: DeepSpeed stops on the difference. ` +
      'Remove it from the accelerate file.';
    return [{ at: ['gradient_accumulation_steps', `accelerate:${KEY}`], message }];
  },
};

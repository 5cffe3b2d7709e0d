import type { Rule } from './rule';
import { TRAINING_ARGUMENTS } from './dialectGroups';
import { exactly, setKey, when } from './when';

export const fp16AndBf16: Rule = {
  id: 'fp16-and-bf16',
  severity: 'error',
  summary: 'Both fp16 and bf16 are on.',
  sources: [
    'transformers 4.40–5.18 training_args.py: “At most one of fp16 and bf16 can be True, but not both”',
  ],
  dialects: TRAINING_ARGUMENTS,
  check: when([exactly('fp16', true), exactly('bf16', true)], quote => ({
    at: ['fp16'],
    message: `TrainingArguments reject ${quote('fp16')} together with ${quote('bf16')}. Keep one; bf16 where the GPU has it.`,
    remedies: [setKey('fp16', false), setKey('bf16', false)],
  })),
};

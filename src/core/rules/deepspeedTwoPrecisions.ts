import type { Rule } from './rule';
import { exactly, when } from './when';

export const deepspeedTwoPrecisions: Rule = {
  id: 'deepspeed-two-precisions',
  severity: 'error',
  summary: 'Both fp16 and bf16 are enabled.',
  sources: [
    'deepspeed 0.19 runtime/config.py L511: bfloat16 and fp16 modes cannot be simultaneously enabled',
  ],
  dialects: ['deepspeed'],
  check: when([exactly('fp16.enabled', true), exactly('bf16.enabled', true)], () => ({
    at: ['fp16.enabled'],
    message: 'DeepSpeed rejects fp16 and bf16 together. Enable one, or write "auto" in both.',
  })),
};

import type { Rule } from './rule';
import { AXOLOTL } from './dialectGroups';
import { exactly, setKey, when } from './when';

export const fp16Ignored: Rule = {
  id: 'fp16-ignored',
  severity: 'warning',
  summary: 'Axolotl ignores fp16 because bf16 is on.',
  sources: ['axolotl 0.18 utils/config/__init__.py resolve_dtype: if cfg.bf16: cfg.fp16 = False'],
  dialects: AXOLOTL,
  check: when([exactly('fp16', true), exactly('bf16', true)], quote => ({
    at: ['fp16'],
    message: `Axolotl ignores ${quote('fp16')} because ${quote('bf16')} wins. Keep the one you mean.`,
    remedies: [setKey('fp16', false), setKey('bf16', false)],
  })),
};

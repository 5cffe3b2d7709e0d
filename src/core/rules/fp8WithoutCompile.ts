import type { Rule } from './rule';
import { AXOLOTL } from './dialectGroups';
import { off, on, setKey, when } from './when';

export const fp8WithoutCompile: Rule = {
  id: 'fp8-without-compile',
  severity: 'information',
  summary: 'FP8 without torch.compile is seldom faster.',
  sources: [
    'axolotl 0.18 utils/schemas/validation.py check_fp8_config: “strongly recommended for FP8 training”',
  ],
  dialects: AXOLOTL,
  check: when([on('fp8'), off('torch_compile')], quote => ({
    at: ['fp8'],
    message:
      `${quote('fp8')} without torch_compile is seldom faster, and saves no memory: weights stay in 16 bits, only products are computed in FP8. ` +
      'Set torch_compile to true.',
    remedies: [setKey('torch_compile', true)],
  })),
};

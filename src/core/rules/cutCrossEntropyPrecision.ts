import type { Rule, RuleContext } from './rule';
import { AXOLOTL } from './dialectGroups';
import { pluginNames } from './axolotlPlugins';
import { off, on, setKey, when } from './when';

export const cutCrossEntropyPrecision: Rule = {
  id: 'cut-cross-entropy-precision',
  severity: 'error',
  summary: '`cut_cross_entropy: true` wants `bf16` or `fp16` written down.',
  sources: [
    'axolotl 0.18 integrations/cut_cross_entropy/args.py check_dtype_is_half: reads the keys before defaults are filled in',
  ],
  dialects: AXOLOTL,
  check: when([listsPlugin, on('cut_cross_entropy'), off('bf16', 'fp16')], quote => ({
    at: ['cut_cross_entropy'],
    message: `Axolotl rejects ${quote('cut_cross_entropy')} unless bf16 or fp16 is written down; the default does not count. Add bf16: auto.`,
    remedies: [setKey('bf16', 'auto')],
  })),
};

function listsPlugin(context: RuleContext): boolean {
  return pluginNames(context)?.includes('CutCrossEntropyPlugin') ?? false;
}

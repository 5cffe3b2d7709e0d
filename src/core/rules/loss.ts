import { pluginNames } from './plugins';
import { isOn } from './raw';
import { AXOLOTL } from './rule';
import type { Rule, RuleContext } from './rule';
import { listed, off, on, quoted, setKey, when } from './when';

const KEYS = [
  'cut_cross_entropy',
  'chunked_cross_entropy',
  'liger_cross_entropy',
  'liger_fused_linear_cross_entropy',
];

export const crossEntropyTwice: Rule = {
  id: 'cross-entropy-twice',
  severity: 'error',
  summary: 'Several replacements of the cross-entropy loss are on.',
  sources: ['axolotl 0.18 utils/schemas/validation.py check_cross_entropy_conflicts (since 0.13.1)'],
  dialects: AXOLOTL,
  check(context) {
    const set = KEYS.filter(key => isOn(context, key));
    if (set.length < 2) return [];
    const message = context.say(
      'Axolotl rejects {0} together: only one can compute the loss. Keep one.',
      listed(
        context.say,
        set.map(key => quoted(context, key)),
      ),
    );
    return [{ at: set.slice(1), message }];
  },
};

export const cutCrossEntropyPrecision: Rule = {
  id: 'cut-cross-entropy-precision',
  severity: 'error',
  summary: '`cut_cross_entropy: true` needs an explicit `bf16` or `fp16`.',
  sources: [
    'axolotl 0.18 integrations/cut_cross_entropy/args.py check_dtype_is_half: reads the keys before defaults are filled in',
  ],
  dialects: AXOLOTL,
  check: when([listsPlugin, on('cut_cross_entropy'), off('bf16', 'fp16')], (quote, { say }) => ({
    at: ['cut_cross_entropy'],
    message: say(
      'Axolotl rejects {0} unless bf16 or fp16 is set. The default does not count. Add bf16: auto.',
      quote('cut_cross_entropy'),
    ),
    remedies: [setKey('bf16', 'auto')],
  })),
};

function listsPlugin(context: RuleContext): boolean {
  return pluginNames(context)?.includes('CutCrossEntropyPlugin') ?? false;
}

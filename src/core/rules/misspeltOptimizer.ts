import names from './data/optimizerNames.json';
import { pluginNames } from './axolotlPlugins';
import { meantBy } from '../text/editDistance';
import type { Rule } from './rule';
import { ON_TRAINER } from './dialectGroups';
import { textOf } from './raw';
import { setKey } from './when';

export const misspeltOptimizer: Rule = {
  id: 'misspelt-optimizer',
  severity: 'error',
  summary: 'The optimizer name looks misspelled.',
  sources: [
    'transformers 5.18 training_args.py: OptimizerNames(self.optim) refuses other names',
    'axolotl 0.18 utils/schemas/enums.py CustomSupportedOptimizers',
  ],
  dialects: ON_TRAINER,
  check(context) {
    const axolotl = context.run.dialect === 'axolotl';
    const key = axolotl ? 'optimizer' : 'optim';
    const written = textOf(context, key);
    const known = axolotl ? [...names.transformers, ...names.axolotl] : names.transformers;
    if (written === null || known.includes(written)) return [];
    if (axolotl && !pluginNames(context)) return [];
    const meant = meantBy(written, known);
    if (meant === null) return [];
    const message = `There is no optimizer \`${written}\`, and the trainer stops. Did you mean \`${meant}\`?`;
    return [{ at: [key], message, remedies: [setKey(key, meant)] }];
  },
};

import type { Rule } from './rule';
import { AXOLOTL } from './dialectGroups';
import { isOn, isStated } from './raw';
import { quoted } from './when';

export const datasetSplitIgnored: Rule = {
  id: 'dataset-split-ignored',
  severity: 'warning',
  summary: '`train_on_split` is not read; the key is `split`.',
  sources: ['axolotl 0.18 utils/schemas/validation.py check_ebft_strided_dataset_split: “silently ignored”'],
  dialects: AXOLOTL,
  check(context) {
    const datasets = context.raw('datasets');
    if (datasets?.kind !== 'sequence') return [];
    return datasets.items.flatMap((_, i) => {
      const key = `datasets[${i}].train_on_split`;
      if (!isOn(context, key) || isStated(context, `datasets[${i}].split`)) return [];
      return [{ at: [key], message: `Axolotl ignores ${quoted(context, key)}. Write split instead.` }];
    });
  },
};

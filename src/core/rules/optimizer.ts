import { meantBy } from '../text/editDistance';
import { pluginNames } from './plugins';
import names from './data/optimizerNames.json';
import { fsdpVersion, hasFsdp } from './fsdp';
import { isOn, textOf } from './raw';
import { AXOLOTL, ON_TRAINER } from './rule';
import type { Rule } from './rule';
import { quoted, setKey } from './when';

/** Optimizers that work on whole matrices or have their own kernels. */
const WHOLE = /^(?:muon|flash_\w+|q_galore_adamw8bit)$/;

export const optimizerNotShardable: Rule = {
  id: 'optimizer-not-shardable',
  severity: 'error',
  summary: 'This optimizer works neither with DeepSpeed nor with FSDP1.',
  sources: [
    'axolotl 0.18 utils/schemas/validation.py check_muon_deepspeed_fsdp, check_flashoptim_deepspeed_fsdp, check_qgalore',
  ],
  dialects: AXOLOTL,
  check(context) {
    if (!WHOLE.test(textOf(context, 'optimizer') ?? '')) return [];
    const deepspeed = isOn(context, 'deepspeed');
    const fsdp1 = hasFsdp(context) && (fsdpVersion(context) ?? 1) !== 2;
    if (!deepspeed && !fsdp1) return [];
    const message = context.say(
      'Axolotl rejects {0} with {1}. Use FSDP2 (fsdp_version: 2), or another optimizer.',
      quoted(context, 'optimizer'),
      deepspeed ? 'DeepSpeed' : 'FSDP1',
    );
    return [{ at: ['optimizer'], message }];
  },
};

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
    const message = context.say(
      'There is no optimizer `{0}`, and the trainer stops. Did you mean `{1}`?',
      written,
      meant,
    );
    return [{ at: [key], message, remedies: [setKey(key, meant)] }];
  },
};

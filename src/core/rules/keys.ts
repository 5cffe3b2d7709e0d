import renamed from './data/renamedKeys.json';
import { isOn, isStated } from './raw';
import { AXOLOTL, TRAINING_ARGUMENTS } from './rule';
import type { Rule, RuleContext } from './rule';
import { quoted } from './when';
import { said, template } from '../text/say';
import type { Template } from '../text/say';

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
      return [
        {
          at: [key],
          message: context.say('Axolotl ignores {0}. Write split instead.', quoted(context, key)),
        },
      ];
    });
  },
};

export const renamedKey: Rule = {
  id: 'renamed-key',
  severity: 'hint',
  summary: 'Newer releases no longer support this key and stop on it.',
  sources: [
    'trl 1.13 scripts/utils.py parse_args_and_config: “Unknown arguments from config file”',
    renamed.source,
  ],
  dialects: TRAINING_ARGUMENTS,
  check(context) {
    const { run } = context;
    const task = run.quantities.task.value ?? '';
    const entries = run.dialect === 'hf-trl' ? [...renamed.trl, ...renamed.hf] : renamed.hf;
    return entries
      .filter(({ key, tasks }) => isStated(context, key) && (tasks.length === 0 || tasks.includes(task)))
      .map(({ key, gone, instead }) => ({
        at: [key],
        message: context.say(
          '`{0}` stops {1} and newer, which no longer know it. {2}',
          key,
          gone,
          advice(context, instead),
        ),
      }));
  },
};

/** If the new key is already there, writing it would duplicate it. */
function advice(context: RuleContext, instead: string | null): string {
  if (instead === null) return context.say('Remove it when you upgrade.');
  const [key = instead] = instead.split(/[,:]/);
  return isStated(context, key)
    ? context.say('`{0}` says it there: remove this one when you upgrade.', key)
    : context.say('Write {0} when you upgrade.', instead);
}

/** Two keys with the same meaning. */
const PAIRS: readonly (readonly [one: string, other: string, what: Template])[] = [
  ['warmup_steps', 'warmup_ratio', template('the warm-up')],
  ['save_steps', 'saves_per_epoch', template('when to save')],
  ['eval_steps', 'evals_per_epoch', template('when to evaluate')],
  ['val_set_size', 'test_datasets', template('what to evaluate on')],
  ['max_memory', 'gpu_memory_limit', template('the memory limit')],
];

export const exclusiveKeys: Rule = {
  id: 'exclusive-keys',
  severity: 'error',
  summary: 'Two keys that cannot be combined are both set.',
  sources: [
    'axolotl 0.18 utils/schemas/validation.py check_warmup, check_saves, check_evals, check_val_w_test_datasets, check_mem_mismatch',
  ],
  dialects: AXOLOTL,
  check(context) {
    return PAIRS.filter(([one, other]) => isOn(context, one) && isOn(context, other)).map(
      ([one, other, what]) => ({
        at: [other, one],
        message: context.say(
          'Axolotl rejects {0} together with {1}: both set {2}. Remove one.',
          quoted(context, one),
          quoted(context, other),
          said(context.say, what),
        ),
      }),
    );
  },
};

const SWITCHES = [
  'fp16',
  'bf16',
  'tf32',
  'gradient_checkpointing',
  'torch_compile',
  'auto_find_batch_size',
  'fp16_full_eval',
  'bf16_full_eval',
];

export const quotedFalse: Rule = {
  id: 'quoted-false',
  severity: 'warning',
  summary: 'A quoted "false" is text, and any text counts as true.',
  sources: ['transformers hf_argparser.py parse_yaml_file, parse_dict: values are not cast'],
  dialects: ['hf-trainer'],
  check(context) {
    return SWITCHES.filter(key => {
      const node = context.raw(key);
      return (
        node?.kind === 'scalar' && node.style !== 'plain' && /^(?:false|no|off)$/i.test(String(node.value))
      );
    }).map(key => ({
      at: [key],
      message: context.say(
        '{0} is text, and HfArgumentParser passes it on as it is: any text counts as true. Write false without quotes.',
        quoted(context, key),
      ),
    }));
  },
};

import type { Report, Rule, RuleContext } from './rule';
import { TRAINING_ARGUMENTS } from './dialectGroups';
import { fileOf, isOn, numberOf, says } from './raw';
import type { Keys } from './raw';

/** A number that the DeepSpeed file states and TrainingArguments have, too. */
interface Pair {
  readonly json: string;
  readonly ours: string;
  readonly value: (context: RuleContext) => number | null;
}

const stated =
  (key: string) =>
  (context: RuleContext): number | null =>
    numberOf(context, key);

const PAIRS: readonly Pair[] = [
  {
    json: 'train_micro_batch_size_per_gpu',
    ours: 'per_device_train_batch_size',
    value: context =>
      isOn(context, 'auto_find_batch_size') ? null : context.run.quantities.microBatchSize.value,
  },
  {
    json: 'gradient_accumulation_steps',
    ours: 'gradient_accumulation_steps',
    value: ({ run }) => run.quantities.gradAccum.value,
  },
  {
    json: 'train_batch_size',
    ours: 'per_device_train_batch_size × gradient_accumulation_steps × GPUs',
    value: ({ run }) => run.quantities.effectiveBatch.value,
  },
  { json: 'gradient_clipping', ours: 'max_grad_norm', value: stated('max_grad_norm') },
  { json: 'optimizer.params.lr', ours: 'learning_rate', value: stated('learning_rate') },
  { json: 'optimizer.params.weight_decay', ours: 'weight_decay', value: stated('weight_decay') },
];

export const deepspeedMismatch: Rule = {
  id: 'deepspeed-mismatch',
  severity: 'error',
  summary: 'The DeepSpeed file and the training arguments state different values.',
  sources: [
    'transformers 5.18 integrations/deepspeed.py trainer_config_process, L268: “Please correct the following DeepSpeed config values that mismatch TrainingArguments values”',
  ],
  dialects: TRAINING_ARGUMENTS,
  check(context) {
    const file = fileOf(context.run, 'deepspeed');
    return file ? [...differingNumbers(context, file), ...differingPrecision(context, file)] : [];
  },
};

function differingNumbers(context: RuleContext, file: Keys): Report[] {
  return PAIRS.flatMap(({ json, ours, value }) => {
    const theirs = numberOf(file, json);
    const own = value(context);
    if (theirs === null || own === null || theirs === own) return [];
    return [mismatch(json, String(theirs), ours, String(own))];
  });
}

function differingPrecision(context: RuleContext, file: Keys): Report[] {
  return ['bf16', 'fp16'].flatMap(name => {
    const both = says(file, `${name}.enabled`, true) && says(context, name, false);
    const neither = says(file, `${name}.enabled`, false) && says(context, name, true);
    if (!both && !neither) return [];
    return [mismatch(`${name}.enabled`, String(both), name, String(neither))];
  });
}

function mismatch(json: string, theirs: string, ours: string, own: string): Report {
  const message =
    `The DeepSpeed file says \`${json}: ${theirs}\` and the training arguments ${own} (${ours}): the trainer stops on the difference. ` +
    'Write "auto" in the DeepSpeed file, and it follows.';
  return { at: [ours, `deepspeed:${json}`, 'deepspeed'], message };
}

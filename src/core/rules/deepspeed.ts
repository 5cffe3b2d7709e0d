import { hasFsdp } from './fsdp';
import { fileOf, isOn, isStated, numberOf, holdsBoolean } from './raw';
import type { Keys } from './raw';
import { ON_TRAINER, TRAINING_ARGUMENTS } from './rule';
import type { Report, Rule, RuleContext } from './rule';
import { listed, on, when } from './when';
import type { Say } from '../text/say';

export const deepspeedAndFsdp: Rule = {
  id: 'deepspeed-and-fsdp',
  severity: 'error',
  summary: 'DeepSpeed and FSDP are both configured.',
  sources: [
    'transformers 5.18 trainer.py L460: “Using --fsdp xxx together with --deepspeed is not possible”',
    'axolotl 0.18 utils/schemas/validation.py check_fsdp_deepspeed (legacy `fsdp` only), core/builders/base.py L684',
  ],
  dialects: ON_TRAINER,
  check: when([on('deepspeed'), shardsToo], (quote, context) => {
    const key = isOn(context, 'fsdp') ? 'fsdp' : 'fsdp_config';
    return {
      at: [key],
      message: context.say(
        '{0} and {1} cannot shard one model together, and the trainer stops. Remove one of them.',
        quote('deepspeed'),
        quote(key),
      ),
    };
  }),
};

/** Axolotl shards with `fsdp_config` alone; TrainingArguments only with `fsdp`. */
function shardsToo(context: RuleContext): boolean {
  return context.run.dialect === 'axolotl' ? hasFsdp(context) : isOn(context, 'fsdp');
}

const FILE = 'deepspeed_config.deepspeed_config_file';

/** Keys that accelerate expects in the DeepSpeed file once there is one. */
const KEYS = [
  'deepspeed_config.gradient_accumulation_steps',
  'deepspeed_config.gradient_clipping',
  'deepspeed_config.zero_stage',
  'deepspeed_config.offload_optimizer_device',
  'deepspeed_config.offload_param_device',
  'deepspeed_config.offload_param_nvme_path',
  'deepspeed_config.offload_optimizer_nvme_path',
  'deepspeed_config.zero3_save_16bit_model',
  'mixed_precision',
];

export const deepspeedFileWithKeys: Rule = {
  id: 'deepspeed-file-with-keys',
  severity: 'error',
  summary: 'accelerate rejects its own DeepSpeed settings together with a DeepSpeed file.',
  sources: [
    'accelerate 1.15 utils/dataclasses.py _deepspeed_config_checks: “the following accelerate config variables will be ignored”',
  ],
  dialects: ['accelerate'],
  check(context) {
    const set = KEYS.filter(key => isStated(context, key));
    if (!isStated(context, FILE) || set.length === 0) return [];
    const names = listed(
      context.say,
      set.map(key => key.replace('deepspeed_config.', '')),
    );
    const message = context.say(
      'accelerate rejects {0} together with deepspeed_config_file. Move them into the DeepSpeed file.',
      names,
    );
    return [{ at: set, message }];
  },
};

/** A number that both the DeepSpeed file and TrainingArguments state. */
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
    return [mismatch(context.say, json, String(theirs), ours, String(own))];
  });
}

function differingPrecision(context: RuleContext, file: Keys): Report[] {
  return ['bf16', 'fp16'].flatMap(name => {
    const both = holdsBoolean(file, `${name}.enabled`, true) && holdsBoolean(context, name, false);
    const neither = holdsBoolean(file, `${name}.enabled`, false) && holdsBoolean(context, name, true);
    if (!both && !neither) return [];
    return [mismatch(context.say, `${name}.enabled`, String(both), name, String(neither))];
  });
}

function mismatch(say: Say, json: string, theirs: string, ours: string, own: string): Report {
  const message = say(
    'The trainer stops: the DeepSpeed file sets `{0}: {1}`, the arguments {2}. Write "auto" in the DeepSpeed file to follow {3}.',
    json,
    theirs,
    own,
    ours,
  );
  return { at: [ours, `deepspeed:${json}`, 'deepspeed'], message };
}

import { isUnknown } from '../spec/quantity';
import type { Quantity } from '../spec/quantity';
import { fileOf, isOff, isOn, numberOf } from './raw';
import type { Keys } from './raw';
import { AXOLOTL, TRAINING_ARGUMENTS } from './rule';
import type { Rule } from './rule';
import { on, quoted, when } from './when';
import { gpusText } from '../hardware/describe';

export const accumulationAndBatchSize: Rule = {
  id: 'accumulation-and-batch-size',
  severity: 'error',
  summary: '`gradient_accumulation_steps` and `batch_size` are both set.',
  sources: ['axolotl 0.18 utils/schemas/validation.py check_gas_bsz'],
  dialects: AXOLOTL,
  check: when([on('gradient_accumulation_steps', 'batch_size')], (quote, { say }) => ({
    at: ['batch_size'],
    message: say(
      'Axolotl rejects {0} together with {1}: each determines the other. Remove batch_size.',
      quote('batch_size'),
      quote('gradient_accumulation_steps'),
    ),
  })),
};

const KEY = 'deepspeed_config.gradient_accumulation_steps';

export const accumulationInTwoFiles: Rule = {
  id: 'accumulation-in-two-files',
  severity: 'error',
  summary: 'The accelerate file and the config state different gradient accumulation.',
  sources: [
    'transformers 5.18 integrations/deepspeed.py L268; accelerate 1.15 utils/dataclasses.py DeepSpeedPlugin',
  ],
  dialects: TRAINING_ARGUMENTS,
  check({ run, say }) {
    const launcher = fileOf(run, 'accelerate');
    const theirs = launcher && numberOf(launcher, KEY);
    const { gradAccum } = run.quantities;
    if (theirs === null || gradAccum.origin.kind !== 'file' || gradAccum.value === theirs) return [];
    const message = say(
      '`gradient_accumulation_steps` is {0} here and {1} in the accelerate file: DeepSpeed stops on the difference. Remove it from the accelerate file.',
      gradAccum.value ?? '',
      theirs,
    );
    return [{ at: ['gradient_accumulation_steps', `accelerate:${KEY}`], message }];
  },
};

export const batchContradiction: Rule = {
  id: 'batch-contradiction',
  severity: 'warning',
  summary: 'Micro-batch size × accumulation × GPUs differs from the global batch size.',
  sources: ['deepspeed 0.19 runtime/config.py _batch_assertion: train = micro × accumulation × world size'],
  check({ run, say }) {
    const { microBatchSize, gradAccum, gpus, globalBatchSize, parallel } = run.quantities;
    const micro = asWritten(microBatchSize);
    const accumulation = asWritten(gradAccum);
    const devices = gpus.origin.kind === 'user' ? gpus.value : asWritten(gpus);
    const global = asWritten(globalBatchSize);
    if (micro === null || accumulation === null || devices === null || global === null) return [];
    if (isUnknown(parallel)) return [];
    const { tensor = 1, context = 1, pipeline = 1 } = parallel.value ?? {};
    const shared = tensor * context * pipeline;
    const product = (micro * accumulation * devices) / shared;
    if (product === global) return [];
    const message = say(
      '{0} × {1} × {2}{3} = {4}, but the global batch is set to {5}. Change one of them: which one wins depends on the program.',
      micro,
      accumulation,
      gpusText(say, devices),
      shared > 1 ? ` ÷ ${shared}` : '',
      product,
      global,
    );
    return [{ at: ['quantity:globalBatchSize', 'quantity:microBatchSize'], message }];
  },
};

/** A value that a file states; defaults and guesses contradict nothing. */
function asWritten(quantity: Quantity<number>): number | null {
  const kind = quantity.origin.kind;
  return kind === 'file' || kind === 'referenced' ? quantity.value : null;
}

const KEYS = ['micro_batch_size', 'gradient_accumulation_steps', 'batch_size'];

export const batchKeysMissing: Rule = {
  id: 'batch-keys-missing',
  severity: 'error',
  summary: 'Two of `micro_batch_size`, `gradient_accumulation_steps` and `batch_size` must be set.',
  sources: ['axolotl 0.18 utils/schemas/validation.py check_batch_size_fields'],
  dialects: AXOLOTL,
  check(context) {
    const open = KEYS.filter(key => !isOff(context, key));
    if (open.length >= 2) return [];
    const { say } = context;
    const only = open[0] !== undefined && isOn(context, open[0]) ? open[0] : null;
    const message =
      only === null
        ? say(
            'Axolotl needs two batch settings, but none is set. Add micro_batch_size and gradient_accumulation_steps; batch_size can replace one of them.',
          )
        : say(
            'Axolotl needs two batch settings, but only `{0}` is set. Add micro_batch_size and gradient_accumulation_steps; batch_size can replace one of them.',
            only,
          );
    return [{ at: [...KEYS, 'base_model'], message }];
  },
};

export const batchSizeNotDivisible: Rule = {
  id: 'batch-size-not-divisible',
  severity: 'warning',
  summary: '`batch_size` is not a multiple of `micro_batch_size`: the accumulation is rounded down.',
  sources: ['axolotl 0.18 utils/config/__init__.py normalize_config: batch_size // micro_batch_size'],
  dialects: AXOLOTL,
  check(context) {
    const micro = numberOf(context, 'micro_batch_size');
    const batch = numberOf(context, 'batch_size');
    if (!micro || !batch || micro < 0 || !isOff(context, 'gradient_accumulation_steps')) return [];
    if (batch % micro === 0) return [];
    const steps = Math.floor(batch / micro);
    const message = context.say(
      '{0} is not a multiple of {1}. Axolotl rounds the accumulation down to {2}: a step has {3} samples per GPU instead of {4}. Make it a multiple.',
      quoted(context, 'batch_size'),
      quoted(context, 'micro_batch_size'),
      steps,
      steps * micro,
      batch,
    );
    return [{ at: ['batch_size'], message }];
  },
};

export const deepspeedBatch: Rule = {
  id: 'deepspeed-batch',
  severity: 'error',
  summary: "The DeepSpeed file's batch sizes don't match any number of GPUs.",
  sources: ['deepspeed 0.19 runtime/config.py L602: train_batch = micro_batch × grad_acc × world_size'],
  check(context) {
    const { run } = context;
    const file: Keys | null = run.dialect === 'deepspeed' ? context : fileOf(run, 'deepspeed');
    const total = file && numberOf(file, 'train_batch_size');
    const micro = file && numberOf(file, 'train_micro_batch_size_per_gpu');
    if (!file || !total || !micro) return [];
    const steps = numberOf(file, 'gradient_accumulation_steps') ?? 1;
    if (steps < 1 || total % (micro * steps) === 0) return [];
    const message = context.say(
      '`train_batch_size: {0}` is not a multiple of {1} × {2} (micro-batch × accumulation). DeepSpeed stops, whatever the number of GPUs. Remove one of the three.',
      total,
      micro,
      steps,
    );
    const key = 'train_batch_size';
    return [{ at: run.dialect === 'deepspeed' ? [key] : [`deepspeed:${key}`, 'deepspeed'], message }];
  },
};

const LOCAL = 'step_scheduler.local_batch_size';
const STAGES = 'distributed.pp_size';

export const automodelPipelineBatch: Rule = {
  id: 'automodel-pipeline-batch',
  severity: 'error',
  summary: 'The local batch has fewer micro-batches than the pipeline has stages.',
  sources: ['NeMo Automodel recipes/llm/train_ft.py L547: pp_batch_size // pp_microbatch_size >= pp_size'],
  dialects: ['nemo-automodel'],
  check(context) {
    const local = numberOf(context, LOCAL);
    const stages = numberOf(context, STAGES);
    const micro = numberOf(context, 'distributed.pipeline.pp_microbatch_size') ?? 1;
    if (local === null || stages === null || stages < 2 || Math.floor(local / micro) >= stages) return [];
    const message = context.say(
      '{0} has fewer micro-batches ({1}) than the pipeline has stages ({2}). The recipe fails an assertion: raise it to {3} or more.',
      quoted(context, LOCAL),
      Math.floor(local / micro),
      stages,
      stages * micro,
    );
    return [{ at: [LOCAL, STAGES], message }];
  },
};

const GPUS = 'NUM_GPUS';

export const slowfastBatch: Rule = {
  id: 'slowfast-batch',
  severity: 'error',
  summary: "The batch size of a machine isn't divisible by its GPUs.",
  sources: [
    'slowfast/config/defaults.py, assert_and_infer_cfg: assert cfg.NUM_GPUS == 0 or cfg.TRAIN.BATCH_SIZE % cfg.NUM_GPUS == 0',
  ],
  dialects: ['yacs-slowfast'],
  check(context) {
    const gpus = numberOf(context, GPUS);
    if (gpus === null || gpus < 2) return [];
    return ['TRAIN.BATCH_SIZE', 'TEST.BATCH_SIZE'].flatMap(key => {
      const batch = numberOf(context, key);
      if (batch === null || batch % gpus === 0) return [];
      const message = context.say(
        '{0} must be a multiple of {1}: SlowFast fails an assertion.',
        quoted(context, key),
        quoted(context, GPUS),
      );
      return [{ at: [key], message }];
    });
  },
};

const MINI = 'params.config.minibatch_size';
const ACTORS = 'params.config.num_actors';
const HORIZON = 'params.config.horizon_length';

export const rlGamesMinibatch: Rule = {
  id: 'rl-games-minibatch',
  severity: 'error',
  summary: 'The minibatch size does not divide the number of samples that the actors collect.',
  sources: ['rl_games/common/a2c_common.py: assert(self.batch_size % self.minibatch_size == 0)'],
  dialects: ['rl-games'],
  check(context) {
    const mini = numberOf(context, MINI);
    const actors = numberOf(context, ACTORS);
    const horizon = numberOf(context, HORIZON);
    if (mini === null || actors === null || horizon === null || mini < 1) return [];
    if ((actors * horizon) % mini === 0) return [];
    const message = context.say(
      '{0} must divide {1} × {2} = {3}: rl_games fails an assertion. Use a divisor of that.',
      quoted(context, MINI),
      quoted(context, ACTORS),
      quoted(context, HORIZON),
      actors * horizon,
    );
    return [{ at: [MINI], message }];
  },
};

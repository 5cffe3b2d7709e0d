import type { Quantity } from '../../spec/quantity';
import type { RunReader } from '../engine/runReader';
import type { Rule, QuantityTable } from '../dialect';
import type { FsdpSettings, OffloadSettings, ParallelSettings } from '../../spec/values';
import { count, countOrNone, flag, word } from '../engine/readers';
import { fsdpStrategy, offloadOfFsdp, offloadOfParts, zeroStage } from './sharding';

const STRATEGIES = ['eval_strategy', 'evaluation_strategy'] as const;

/** True if transformers' Trainer evaluates during training. */
export function evaluatesByStrategy(run: RunReader): Quantity<boolean> {
  for (const key of STRATEGIES) {
    const strategy = run.word(key);
    if (strategy !== null) return run.at(key, strategy !== 'no');
  }
  const requested = run.flag('do_eval');
  if (requested !== null) return run.at('do_eval', requested, 'the script decides when');
  return run.byDefault(false, 'transformers training_args.py: eval_strategy is "no"');
}

/** True if training resumes from a checkpoint: a path, or true for the newest. */
export const resumesBy =
  (key: string): Rule<boolean> =>
  run => {
    const value = run.value(key);
    if (value === null || value === false || value === '') return run.none(`${key} is not set`);
    return run.at(key, true);
  };

/** The source of the fields and their defaults, from wheels 4.45.2 to 5.18.0. */
const SOURCE = 'transformers training_args.py';

/** Quantities of every dialect that passes its keys to transformers' TrainingArguments. */
export const trainingArguments = {
  microBatchSize: {
    keys: ['per_device_train_batch_size', 'per_gpu_train_batch_size'],
    read: count,
    absent: { value: 8, source: SOURCE },
    near: ['gradient_accumulation_steps', 'per_device_eval_batch_size'],
  },
  gradAccum: {
    keys: ['gradient_accumulation_steps'],
    read: count,
    absent: { value: 1, source: SOURCE },
    near: ['per_device_train_batch_size'],
  },
  evalBatchSize: {
    keys: ['per_device_eval_batch_size', 'per_gpu_eval_batch_size'],
    read: count,
    absent: { value: 8, source: SOURCE },
    near: ['per_device_train_batch_size'],
  },
  optimizer: {
    keys: ['optim'],
    read: word,
    absent: [
      {
        value: 'adamw_torch_fused',
        source: `${SOURCE}, with torch ≥ 2.8`,
        since: '4.54.0',
        library: 'transformers',
      },
      { value: 'adamw_torch', source: SOURCE },
    ],
    near: ['learning_rate', 'num_train_epochs'],
  },
  gradientCheckpointing: {
    keys: ['gradient_checkpointing'],
    read: flag,
    absent: { value: false, source: SOURCE },
    near: ['gradient_accumulation_steps', 'per_device_train_batch_size'],
  },
  numWorkers: { keys: ['dataloader_num_workers'], read: countOrNone, absent: { value: 0, source: SOURCE } },
  compile: { keys: ['torch_compile'], read: flag, absent: { value: false, source: SOURCE } },
  accelerator: run =>
    run.flag('use_cpu') || run.flag('no_cuda')
      ? run.at(['use_cpu', 'no_cuda'], 'cpu')
      : run.byDefault('cuda', `${SOURCE}: a GPU is used where there is one`),
  zeroStage: run => zeroStage(run, PARTS),
  fsdp,
  offload,
  parallel,
} as const satisfies QuantityTable;

const PARTS = ['deepspeed', 'accelerate_config'];

/** The words of `fsdp`: a list, or one string. */
function fsdpWords(run: RunReader): readonly string[] {
  const value = run.value('fsdp');
  if (value === true) return ['full_shard'];
  return (run.words('fsdp') ?? [])
    .flatMap(words => words.split(/[\s,]+/))
    .filter(one => one !== '' && one !== 'false');
}

function fsdp(run: RunReader): Quantity<FsdpSettings> {
  const options = fsdpWords(run);
  const inPart = run.part('accelerate_config')?.get('fsdp');
  if (options.length === 0) return inPart ?? run.none(`${SOURCE}: fsdp is off`);
  const config = (name: string): boolean | null =>
    run.flag(`fsdp_config.${name}`) ?? run.flag(`fsdp_config.fsdp_${name}`);
  const version = run.count('fsdp_config.version') ?? run.count('fsdp_config.fsdp_version');
  const reshard = options.includes('shard_grad_op') ? false : config('reshard_after_forward');
  return run.at('fsdp', {
    version: (version ?? (run.atLeast('5.0.0', 'transformers') ? 2 : 1)) === 2 ? 2 : 1,
    strategy: options.includes('hybrid_shard') ? 'HYBRID_SHARD' : fsdpStrategy(reshard, null),
    offloadParams: options.includes('offload') || config('offload_params'),
    activationCheckpointing: config('activation_checkpointing'),
  });
}

function offload(run: RunReader): Quantity<OffloadSettings> {
  const engine = offloadOfParts(run, PARTS) ?? offloadOfFsdp(run);
  if (!run.flag('activation_offloading')) return engine ?? run.none('nothing is offloaded by default');
  return run.at('activation_offloading', {
    ...(engine?.value ?? { param: 'none', optimizer: 'none' }),
    activations: 'cpu',
  });
}

function parallel(run: RunReader): Quantity<ParallelSettings> {
  return run.part('accelerate_config')?.get('parallel') ?? run.none(`${SOURCE}: parallelism_config is None`);
}

/** True if the trainer runs the forward pass under autocast: one of its precision flags is on. */
export const autocastByFlags: Rule<boolean> = run => {
  const precision = run.get('precision').value;
  if (precision === null) return run.unknown('The precision is not known.');
  const on = precision !== 'fp32';
  return run.derived(on, ['precision'], on ? 'the trainer autocasts to 16 bits' : 'no 16-bit flag is on');
};

/** transformers used reentrant checkpointing until release 5. */
export const reentrantCheckpointing: Rule<boolean> = run => {
  const key = 'gradient_checkpointing_kwargs.use_reentrant';
  const stated = run.flag(key);
  if (stated !== null) return run.at(key, stated);
  return run.byDefault(
    !run.atLeast('5.0.0', 'transformers'),
    'transformers modeling_utils.py gradient_checkpointing_enable',
  );
};

/** One switch enables every Liger kernel that the model has (liger_kernel.transformers, its defaults). */
export const ligerKernels: Rule<readonly string[]> = run => {
  const key = ['use_liger_kernel', 'use_liger'].find(name => run.flag(name));
  if (key === undefined) return run.byDefault([], `${SOURCE}: use_liger_kernel is false`);
  return run.at(key, ['liger_glu', 'liger_rms_norm', 'liger_rope']);
};

import type { Quantity, Unit } from '../../spec/quantity';
import type { OffloadSettings } from '../../spec/values';
import type { RunReader } from '../engine/runReader';
import { counted } from '../shared/toolkit';

const CONFIGS = 'fairseq/dataclass/configs.py';

/** Tasks on sound count samples of the waveform where others count tokens (1,400,000 is 87.5 s at 16 kHz). */
function tokensOf(run: RunReader): Unit {
  const task = run.word('task._name') ?? '';
  return /audio|hubert|speech|wav|data2vec_audio/.test(task) ? 'waveform samples' : 'tokens';
}

/** The longest sample, in what its task counts. */
export function longestSample(run: RunReader): Quantity<number> {
  const key = ['task.max_sample_size', 'task.tokens_per_sample', 'task.max_source_positions'].find(one =>
    run.has(one),
  );
  const length = key === undefined ? null : counted(run, key, tokensOf(run));
  return length ?? run.unknown('No key limits how long samples are.');
}

/** `dataset.max_tokens` fills batches of one GPU; `batch_size` caps their sentences, and decides alone without it. */
export function microBatch(run: RunReader): Quantity<number> {
  const tokens = counted(run, 'dataset.max_tokens', tokensOf(run));
  const rows = ['dataset.batch_size', 'dataset.max_sentences'].find(key => run.has(key));
  return (
    tokens ??
    (rows === undefined
      ? run.unknown('Neither max_tokens nor batch_size is set.')
      : run.at(rows, run.count(rows)))
  );
}

/** What validation takes where nothing is said: what training takes (L536-544). */
export function evalBatch(run: RunReader): Quantity<number> {
  const tokens = counted(run, 'dataset.max_tokens_valid', tokensOf(run));
  if (tokens) return tokens;
  if (run.has('dataset.batch_size_valid')) {
    return run.at('dataset.batch_size_valid', run.count('dataset.batch_size_valid'));
  }
  const { value, unit } = run.get('microBatchSize');
  if (value === null) return run.unknown('Batches of training are not known either.');
  return run.inUnit(
    unit ?? 'samples',
    run.derived(value, ['microBatchSize'], `${CONFIGS} L536: as in training`),
  );
}

/** `update_freq: [8]` has one entry for each epoch, the last for all after it; `'[8]'` on command lines. */
export function accumulation(run: RunReader): Quantity<number> {
  const key = 'optimization.update_freq';
  const value = run.value(key);
  if (value === null) return run.byDefault(1, `${CONFIGS}: update_freq is [1]`);
  const steps = [value]
    .flat()
    .map(step => (typeof step === 'object' ? '' : String(step)))
    .join(',')
    .replaceAll(/[[\]\s]/g, '')
    .split(',')
    .map(Number);
  if (steps.some(step => !Number.isInteger(step) || step < 1)) {
    return run.unknown(`${key} is no list of whole numbers.`);
  }
  if (new Set(steps).size > 1) return run.unknown(`${key} differs from epoch to epoch.`);
  return run.at(key, steps[0] ?? null);
}

const FLAGS = [
  ['common.memory_efficient_bf16', 'bf16'],
  ['common.memory_efficient_fp16', 'fp16'],
  ['common.bf16', 'bf16-mixed'],
  ['common.fp16', 'fp16-mixed'],
] as const;

/** The model is in 16 bits; without `memory_efficient` an fp32 copy of its weights is kept (optim/fp16_optimizer.py). */
export function precision(run: RunReader): Quantity<string> {
  for (const [key, value] of FLAGS) if (run.flag(key)) return run.at(key, value);
  const said = ['common.fp16', 'common.bf16'].find(key => run.has(key));
  return said === undefined
    ? run.byDefault('fp32', `${CONFIGS} L149-159: fp16 is False`)
    : run.at(said, 'fp32');
}

export function precisionRaw(run: RunReader): Quantity<string> {
  const said = FLAGS.map(([key]) => key).filter(key => run.has(key));
  if (said.length === 0) return run.unknown('No precision key is set.');
  const words = said.map(key => `${key.replace('common.', '')} ${String(run.flag(key))}`);
  return run.at(said, words.join(', '));
}

/** `distributed_world_size` counts the GPUs of all nodes. */
export function gpus(run: RunReader): Quantity<number> {
  const key = 'distributed_training.distributed_world_size';
  const value = run.count(key);
  return value === null ? run.unknown('All GPUs that are visible are taken.') : run.at(key, value);
}

export function offload(run: RunReader): Quantity<OffloadSettings> {
  const key = 'distributed_training.cpu_offload';
  if (!run.flag(key)) return run.none(`${CONFIGS}: cpu_offload is False`);
  return run.at<OffloadSettings>(key, { param: 'cpu', optimizer: 'cpu' });
}

const TASKS: readonly (readonly [RegExp, string])[] = [
  [/finetuning/, 'asr'],
  [/^(?:audio|hubert|speech).*pretraining$/, 'pretraining'],
  [/^translation/, 'translation'],
  [/^language_modeling/, 'language_modeling'],
  [/^masked_lm/, 'mlm'],
];

export function task(run: RunReader): Quantity<string> {
  const name = run.word('task._name');
  if (name === null) return run.unknown('No task is named.');
  const fineTunes = /^(?:ctc|wav2vec_ctc)$/.test(run.word('criterion._name') ?? '');
  const found = fineTunes ? 'asr' : TASKS.find(([pattern]) => pattern.test(name))?.[1];
  return run.at('task._name', found ?? name);
}

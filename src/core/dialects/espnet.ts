import { builtIn } from './defined/compile';
import file from './espnet.yaml';
import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import type { RunReader } from './engine/runReader';
import { counted, effectiveOfShared, encoderDecoder, rawFlag, shareOfBatch } from './shared/toolkit';

const OPTIONS = 'espnet2 doc/espnet2_training_option.md';
/** Batches that are filled up to a number of elements. */
const BY_BINS: ReadonlySet<string> = new Set(['numel', 'length']);

/** ESPnet2 makes one batch for all GPUs and gives each every n-th row: `batch[rank::world_size]`. */
function batch(run: RunReader): Quantity<number> {
  const type = run.word('batch_type') ?? 'folded';
  if (!BY_BINS.has(type)) {
    const rows = run.count('batch_size');
    return rows === null ? run.byDefault(20, `${OPTIONS}: batch_size is 20`) : run.at('batch_size', rows);
  }
  const unit = 'bins (numel)';
  return (
    counted(run, 'batch_bins', unit) ?? run.inUnit(unit, run.byDefault(1_000_000, `${OPTIONS}: batch_bins`))
  );
}

function evaluated(run: RunReader): Quantity<number> {
  const key = ['valid_batch_bins', 'valid_batch_size'].find(name => run.has(name));
  return key === undefined
    ? run.unknown('Validation takes the batches of training.')
    : run.at(key, run.count(key));
}

function precision(run: RunReader): Quantity<string> {
  const amp = run.flag('use_amp');
  if (amp) return run.at('use_amp', 'fp16-mixed');
  const name = run.word('train_dtype');
  const dtype = { float16: 'fp16', bfloat16: 'bf16', float32: 'fp32' }[name ?? ''];
  if (dtype !== undefined) return run.at('train_dtype', dtype);
  return amp === null
    ? run.byDefault('fp32', `${OPTIONS}: train_dtype is float32`)
    : run.at('use_amp', 'fp32');
}

const TASKS: Readonly<Record<string, string>> = {
  asr: 'asr',
  tts: 'tts',
  enh: 'speech_enhancement',
  lm: 'language_modeling',
  st: 'speech_translation',
  diar: 'diarization',
  spk: 'speaker_verification',
};

/** Recipes lie in `egs2/CORPUS/TASK1`; else a CTC weight is one of recognition. */
function task(run: RunReader): Quantity<string> {
  const folder = run.pathWords.map(name => /^([a-z]+)\d$/.exec(name)?.[1] ?? '').find(name => name in TASKS);
  const found = folder === undefined ? undefined : TASKS[folder];
  if (found !== undefined) return run.derived(found, [], `the recipe lies in ${folder ?? ''}1`);
  return run.has('model_conf.ctc_weight')
    ? run.derived('asr', ['model_conf.ctc_weight'], 'a CTC loss beside attention')
    : run.unknown('The recipe’s folder says it.');
}

/** ESPnet2's training configs; sources are files of espnet/espnet 26b6999. */
export const espnet: Dialect = builtIn(file, {
  quantities: {
    model: encoderDecoder,
    task,
    globalBatchSize: batch,
    microBatchSize: shareOfBatch,
    effectiveBatch: effectiveOfShared,
    evalBatchSize: evaluated,
    precision,
    precisionRaw: run =>
      run.has('use_amp')
        ? run.at('use_amp', `use_amp ${String(run.flag('use_amp'))}`)
        : rawFlag('train_dtype')(run),
  },
  writers: {
    precision: to =>
      /^(?:fp32|fp16)(?:-mixed)?$/.test(to)
        ? { ok: true, writes: [{ key: 'use_amp', value: to.startsWith('fp16'), near: ['accum_grad'] }] }
        : { ok: false, why: 'use_amp computes in fp16; another dtype is train_dtype, for weights too.' },
    microBatchSize: () => ({ ok: false, why: 'batch_bins and batch_size count what all GPUs share.' }),
  },
});

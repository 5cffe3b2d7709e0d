import { builtIn } from './defined/compile';
import file from './joeynmt.yaml';
import type { Dialect } from './dialect';
import { ampFlag, counted, effectiveOfShared, rawFlag, shareOfBatch } from './shared/toolkit';
import { shareOfGlobal } from './engine/common';
import type { RunReader } from './engine/runReader';
import type { Quantity, Unit } from '../spec/quantity';

const unitOf = (run: RunReader, key: string): Unit =>
  (run.word(key) ?? 'sentence') === 'token' ? 'tokens' : 'sentences';

/** DataParallel divides batches of validation as those of training. */
function evalBatch(run: RunReader): Quantity<number> {
  const key = ['testing.batch_size', 'training.eval_batch_size'].find(name => run.has(name));
  if (key === undefined) return run.unknown('testing.batch_size is not set.');
  const total = counted(run, key, unitOf(run, 'testing.batch_type')) ?? run.unknown(`${key} is no number.`);
  const isCpu = run.get('gpus').value === 0;
  if (!isCpu) return shareOfGlobal(run, total);
  return {
    ...run.derived(total.value, [key, 'gpus'], 'all on the CPU'),
    ...(total.value && { total: total.value }),
  };
}

/** JoeyNMT's configs; sources are files of joeynmt/joeynmt cdc4d03. */
export const joeynmt: Dialect = builtIn(file, {
  quantities: {
    // training.py L337-339: batch_size // n_gpu.
    globalBatchSize: run =>
      counted(run, 'training.batch_size', unitOf(run, 'training.batch_type')) ??
      run.unknown('training.batch_size is not set.'),
    microBatchSize: shareOfBatch,
    effectiveBatch: effectiveOfShared,
    evalBatchSize: evalBatch,
    precision: run =>
      run.has('training.fp16')
        ? ampFlag('training.fp16', '')(run)
        : ampFlag('fp16', 'joeynmt/config.py: fp16 is False')(run),
    precisionRaw: run => rawFlag(run.has('training.fp16') ? 'training.fp16' : 'fp16')(run),
    accelerator: run => {
      const on = ['use_cuda', 'training.use_cuda'].find(key => run.has(key));
      if (on === undefined) return run.byDefault('cuda', 'joeynmt/config.py: use_cuda is True');
      return run.at(on, run.flag(on) ? 'cuda' : 'cpu');
    },
    devices: run => {
      if (run.get('accelerator').value !== 'cpu') return run.unknown('All GPUs that are visible are taken.');
      return run.at(['use_cuda', 'training.use_cuda'], 0);
    },
    nodes: run =>
      run.get('accelerator').value === 'cpu'
        ? run.unknown('Nothing is distributed.')
        : run.unknown('The launcher says it.'),
    gpus: run =>
      run.get('devices').value === 0
        ? run.derived(0, ['devices'], 'use_cuda is off')
        : run.unknown('The number of GPUs is not in the files.'),
  },
  writers: { microBatchSize: () => ({ ok: false, why: 'training.batch_size counts what all GPUs share.' }) },
});

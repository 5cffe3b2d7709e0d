import { builtIn } from './defined/compile';
import file from './recbole.yaml';
import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import { shareOfGlobal } from './engine/common';
import type { RunReader } from './engine/runReader';
import { ampFlag, deviceList, effectiveOfShared, rawFlag, shareOfBatch } from './shared/toolkit';

const OVERALL = 'recbole/properties/overall.yaml';

/** Batches of evaluation are divided among processes, as those of training are. */
function evalBatch(run: RunReader): Quantity<number> {
  const rows = run.count('eval_batch_size');
  const total = rows === null ? run.byDefault(4096, OVERALL) : run.at('eval_batch_size', rows);
  return shareOfGlobal(run, total);
}

/** RecBole's configs; sources are files of RUCAIBox/RecBole 7b02be5. */
export const recbole: Dialect = builtIn(file, {
  quantities: {
    microBatchSize: shareOfBatch,
    effectiveBatch: effectiveOfShared,
    evalBatchSize: evalBatch,
    precision: ampFlag('enable_amp', `${OVERALL}: enable_amp is False`),
    precisionRaw: rawFlag('enable_amp'),
    accelerator: run => {
      const on = run.flag('use_gpu');
      return on === null
        ? run.byDefault('cuda', `${OVERALL}: use_gpu is True`)
        : run.at('use_gpu', on ? 'cuda' : 'cpu');
    },
    devices: run => {
      if (run.get('accelerator').value === 'cpu') return run.at<number | 'auto'>('use_gpu', 0);
      const ids = run.read('gpu_id', deviceList);
      if (ids === null) return run.byDefault<number | 'auto'>(1, `${OVERALL}: gpu_id is '0'`);
      return run.derived<number | 'auto'>(ids, ['gpu_id'], 'indices in gpu_id');
    },
  },
  writers: {
    microBatchSize: (to, run) => {
      const gpus = run.get('gpus').value;
      return gpus === null
        ? { ok: false, why: 'train_batch_size counts what all GPUs share, and their number is not known.' }
        : { ok: true, writes: [{ key: 'train_batch_size', value: to * Math.max(gpus, 1) }] };
    },
  },
});

import { builtIn } from './defined/compile';
import file from './detrYaml.yaml';
import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import { withBases } from './engine/bases';
import { shareOfGlobal } from './engine/common';
import type { RunReader } from './engine/runReader';
import { autocastByPrecision } from './shared/lightning';
import { averagedBy, ampRow, largestSquare, pixels, rawRow, shareOf } from './shared/vision';
import type { Size } from './shared/vision';

const KEYS = 'train_dataloader';

/** The largest side that a batch is resized to: `scales`, or a base that grows by a quarter (D-FINE). */
function imageSize(run: RunReader): Quantity<Size> {
  const scales = run.read(`${KEYS}.collate_fn.scales`, largestSquare);
  if (scales !== null) return run.at(`${KEYS}.collate_fn.scales`, scales);
  const base = run.count(`${KEYS}.collate_fn.base_size`);
  if (base !== null) {
    const repeats = run.has(`${KEYS}.collate_fn.base_size_repeat`);
    const side = repeats ? Math.floor((base * 1.25) / 32) * 32 : base;
    return run.derived(
      [side, side],
      [`${KEYS}.collate_fn.base_size`],
      'base_size and a quarter, in steps of 32',
    );
  }
  const size = run.read('eval_spatial_size', pixels('hw'));
  return size === null ? run.unknown('No key says the size of images.') : run.at('eval_spatial_size', size);
}

/** RT-DETR, D-FINE, DEIM; sources are files of lyuwenyu/RT-DETR 068dfde (rtdetrv2_pytorch) and Peterande/D-FINE 4a1f73a. */
export const detrYaml: Dialect = builtIn(file, {
  quantities: {
    task: run => {
      const task = run.word('task');
      if (task === null) return run.byCode('object_detection', 'src/solver/det_solver.py');
      return run.at('task', task === 'detection' ? 'object_detection' : task);
    },
    microBatchSize: run => {
      const each = run.count(`${KEYS}.batch_size`);
      return each === null ? shareOf(run) : run.at(`${KEYS}.batch_size`, each);
    },
    evalBatchSize: run => {
      const each = run.count('val_dataloader.batch_size');
      if (each !== null) return run.at('val_dataloader.batch_size', each);
      const key = 'val_dataloader.total_batch_size';
      return shareOfGlobal(run, run.at(key, run.count(key)));
    },
    imageSize,
    precision: ampRow('use_amp', false, 'configs/runtime.yml: use_amp is False'),
    precisionRaw: rawRow('use_amp'),
  },
  details: {
    autocast: autocastByPrecision,
    averagedWeights: averagedBy('use_ema'),
  },
  writers: {
    microBatchSize: (to, run) => {
      if (run.has(`${KEYS}.batch_size`)) {
        return { ok: true, writes: [{ key: `${KEYS}.batch_size`, value: to }] };
      }
      const gpus = run.get('gpus').value;
      return gpus === null
        ? {
            ok: false,
            why: 'total_batch_size counts all GPUs together, and their number is not in the files.',
          }
        : { ok: true, writes: [{ key: `${KEYS}.total_batch_size`, value: to * gpus }] };
    },
  },
  compose: withBases({ keys: ['__include__'] }),
});

import { builtIn } from './defined/compile';
import file from './timm.yaml';
import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import type { RunReader } from './engine/runReader';
import { autocastByPrecision } from './shared/lightning';
import { dtypeWord } from './shared/words';
import { pixels, textOf } from './shared/vision';
import type { Size } from './shared/vision';

/** timm's model names carry the size of the images where it is not 224. */
function sizeByName(run: RunReader): Quantity<Size> {
  const name = run.get('model').value;
  if (name === null) return run.unknown('The model is not known.');
  const found = /_(\d{3,4})(?:$|[._])/.exec(name);
  const side = found ? Number(found[1]) : 224;
  return run.byDefault([side, side], 'timm: the model’s default_cfg, which its name tells');
}

const SOURCE = 'train.py';

/** timm's train.py, with its settings in a file; sources are lines of huggingface/pytorch-image-models aa4b585. */
export const timm: Dialect = builtIn(file, {
  quantities: {
    evalBatchSize: {
      absent: run => {
        const micro = run.get('microBatchSize').value;
        return run.derived(
          micro,
          ['microBatchSize'],
          'validation_batch_size is batch_size where it is absent',
        );
      },
    },
    imageSize: { read: pixels('hw'), absent: sizeByName },
    precision: run => {
      const on = ['amp', 'native_amp', 'apex_amp'].find(key => run.flag(key));
      if (on === undefined) {
        return run.has('amp') ? run.at('amp', 'fp32') : run.byDefault('fp32', `${SOURCE} L175`);
      }
      const half = (run.read('amp_dtype', dtypeWord) ?? 'fp16') === 'bf16' ? 'bf16-mixed' : 'fp16-mixed';
      return run.at(on, half);
    },
    precisionRaw: run => {
      const keys = ['amp', 'amp_dtype', 'native_amp'].filter(key => run.has(key));
      return keys.length === 0
        ? run.unknown('amp is not set.')
        : run.at(keys, keys.map(key => `${key} ${textOf(run.value(key))}`).join(', '));
    },
    compile: { read: value => (value === null ? null : { ok: value !== false }) },
  },
  details: {
    autocast: autocastByPrecision,
    sequencesPerSample: run => {
      const splits = run.count('aug_splits');
      return splits === null
        ? run.byDefault(1, `${SOURCE}: aug_splits is 0`)
        : run.at('aug_splits', splits, 'each image is fed in so many versions');
    },
  },
  writers: {
    precision: to => {
      if (to === 'fp32') return { ok: true, writes: [{ key: 'amp', value: false }] };
      const dtype = to.startsWith('bf16') ? 'bfloat16' : to.startsWith('fp16') ? 'float16' : null;
      if (dtype === null) return { ok: false, why: 'timm trains in fp32, fp16 or bf16.' };
      return {
        ok: true,
        writes: [
          { key: 'amp', value: true, near: ['batch_size'] },
          { key: 'amp_dtype', value: dtype, near: ['amp', 'batch_size'] },
        ],
      };
    },
  },
});

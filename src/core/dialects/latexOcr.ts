import { builtIn } from './defined/compile';
import file from './latexOcr.yaml';
import type { Dialect } from './dialect';
import { number } from './engine/readers';
import { items } from './shared/vision';

/** LaTeX-OCR (pix2tex); sources are lines of lukas-blecher/LaTeX-OCR f0269de. */
export const latexOcr: Dialect = builtIn(file, {
  quantities: {
    // pix2tex/train.py L43-57: −1 is the whole batch; parts of it are added up.
    microBatchSize: run => {
      const part = run.read('micro_batchsize', number);
      if (part !== null && part > 0) return run.at('micro_batchsize', part);
      const total = run.count('batchsize');
      return total === null ? run.unknown('batchsize is not set.') : run.at('batchsize', total);
    },
    gradAccum: run => {
      const total = run.count('batchsize');
      const part = run.get('microBatchSize').value;
      if (total === null || part === null) return run.unknown('batchsize is not set.');
      return run.derived(Math.ceil(total / part), ['microBatchSize'], `batchsize ${total} ÷ ${part}`);
    },
    imageSize: run => {
      const width = run.count('max_width');
      const height = run.count('max_height');
      if (width === null || height === null) return run.unknown('max_width or max_height is not set.');
      return run.at(['max_width', 'max_height'], [width, height]);
    },
    devices: run => {
      const listed = items(run.value('gpu_devices'));
      if (listed) return run.at('gpu_devices', listed.length);
      return run.byDefault('auto', 'pix2tex/utils/utils.py: null is all devices');
    },
  },
  writers: {
    microBatchSize: to => ({
      ok: true,
      writes: [{ key: 'micro_batchsize', value: to, near: ['batchsize'] }],
    }),
  },
});

import { builtIn } from './defined/compile';
import file from './basicsr.yaml';
import type { Dialect } from './dialect';
import { countOrNone } from './engine/readers';
import { pixels } from './shared/vision';

/** BasicSR and what grew from it (Real-ESRGAN, SwinIR, HAT); sources are files of XPixelGroup/BasicSR 8d56e3a. */
export const basicsr: Dialect = builtIn(file, {
  quantities: {
    imageSize: { read: pixels('hw') },
    devices: { read: value => (value === 'auto' ? { ok: 'auto' } : countOrNone(value)) },
    accelerator: run =>
      run.value('num_gpu') === 0
        ? run.at('num_gpu', 'cpu')
        : run.byDefault('cuda', 'basicsr/models/base_model.py'),
  },
});

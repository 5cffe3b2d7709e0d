import { builtIn } from './defined/compile';
import file from './maxtext.yaml';
import type { Dtype } from '../spec/values';
import type { Dialect } from './dialect';
import { withBases } from './engine/bases';
import { maxtextModel } from './maxtext/ownModel';
import { dtype, microBatch, parallel, remat } from './maxtext/rules';

const BASE = 'configs/base.yml';

/** MaxText, on JAX; sources are files of AI-Hypercomputer/maxtext e591f30. */
export const maxtext: Dialect = builtIn(file, {
  quantities: {
    task: run => {
      const bases = run.has('base_config') ? (run.word('base_config') ?? '') : '';
      return bases.includes('inference')
        ? run.derived('infer', ['base_config'], 'it lies on the config for inference')
        : run.byCode('lm_pretrain', 'MaxText/train.py');
    },
    microBatchSize: microBatch,
    precision: dtype<string>('dtype', 'bf16', `${BASE} L114`),
    precisionRaw: run =>
      run.has('dtype')
        ? run.at('dtype', `dtype: ${run.word('dtype') ?? ''}`)
        : run.unknown('dtype is not set.'),
    loadDtype: dtype<Dtype>('weight_dtype', 'fp32', `${BASE} L174`),
    gradientCheckpointing: remat,
    parallel,
  },
  ownModel: maxtextModel,
  compose: withBases({ keys: ['base_config'] }),
});

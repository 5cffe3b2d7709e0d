import { builtIn } from './defined/compile';
import file from './lingua.yaml';
import type { Dialect } from './dialect';
import { linguaModel } from './lingua/ownModel';
import { fsdp, parallel, strategy } from './lingua/rules';
import { linguaWriters } from './lingua/writers';

/** lingua's apps; sources are files of facebookresearch/lingua 437d680. */
export const lingua: Dialect = builtIn(file, {
  quantities: {
    model: run =>
      run.has('model.dim')
        ? run.derived('llama', ['model.dim'], 'apps/main/transformer.py: the layers of Llama')
        : run.unknown('model.dim is not set.'),
    precisionRaw: run =>
      run.has('distributed.model_dtype')
        ? run.at(
            'distributed.model_dtype',
            `distributed.model_dtype ${run.word('distributed.model_dtype') ?? ''}`,
          )
        : run.unknown('distributed.model_dtype is not set.'),
    fsdp,
    parallel,
    strategy,
  },
  writers: linguaWriters,
  ownModel: linguaModel,
});

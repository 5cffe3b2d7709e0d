import { builtIn } from './defined/compile';
import file from './transformersLoading.yaml';
import { quantization } from './hfTrainer/rules';
import type { Dialect } from './dialect';
import { accelerator, gpusOfMap, lengthOf, loadingWriters, newTokensOf } from './transformersLoading/rules';

const SECTIONS = ['', 'model.', 'model_kwargs.', 'llm.', 'quantization.'];

/**
 * Arguments that inference scripts pass to from_pretrained: the model, its dtype, a device map with the limit of
 * each device (device-map guide; transformers 5.23, modeling_utils.py). Nothing is trained.
 */
export const transformersLoading: Dialect = builtIn(file, {
  quantities: {
    seqLen: lengthOf,
    quantization,
    devices: gpusOfMap(SECTIONS),
    accelerator: accelerator(SECTIONS),
  },
  details: { generatedTokens: newTokensOf },
  writers: loadingWriters,
});

import { builtIn } from './defined/compile';
import file from './transformersLoading.yaml';
import { DTYPE_KEYS, quantization } from './hfTrainer/rules';
import type { Dialect } from './dialect';
import { deviceMapAt } from './shared/deviceMap';
import { checkpointDtype, loadDtype } from './shared/loading';
import { accelerator, gpusOfMap, lengthOf, loadingWriters, newTokensOf } from './transformersLoading/rules';

const SECTIONS = ['', 'model.', 'model_kwargs.', 'llm.', 'quantization.'];

/** What inference scripts hand on to from_pretrained: the model, its dtype, a device map with the room on each device
 * (device-map guide; transformers 5.23, modeling_utils.py). Nothing is trained. */
export const transformersLoading: Dialect = builtIn(file, {
  quantities: {
    task: run =>
      run.get('seqLen').value === null
        ? run.byCode('load', 'no key says how long texts are: what loading takes, without a pass')
        : run.byCode('infer', 'the model is loaded to generate'),
    seqLen: lengthOf,
    precision: run => {
      const { value } = run.get('loadDtype');
      return value === null
        ? run.unknown('The dtype is that of the checkpoint.')
        : run.derived(value, ['loadDtype'], 'computed in the dtype of the weights');
    },
    loadDtype: run => loadDtype(run, DTYPE_KEYS),
    quantization,
    devices: gpusOfMap(SECTIONS),
    accelerator: accelerator(SECTIONS),
  },
  details: {
    checkpointDtype: checkpointDtype(DTYPE_KEYS),
    generatedTokens: newTokensOf,
    deviceMap: deviceMapAt(...SECTIONS),
  },
  writers: loadingWriters,
});

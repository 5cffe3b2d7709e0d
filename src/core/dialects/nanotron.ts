import { builtIn } from './defined/compile';
import file from './nanotron.yaml';
import type { Dialect } from './dialect';
import { model, nanotronModel } from './nanotron/ownModel';
import { devices, parallel, strategy } from './nanotron/rules';
import { torchName, valueText } from './shared/words';

/** nanotron; sources are files of huggingface/nanotron 2411b02. */
export const nanotron: Dialect = builtIn(file, {
  quantities: {
    model,
    precision: { write: torchName },
    precisionRaw: run =>
      run.has('model.dtype')
        ? run.at('model.dtype', `model.dtype ${valueText(run.value('model.dtype'))}`)
        : run.unknown('model.dtype is not set.'),
    loadDtype: { write: torchName },
    gradientCheckpointing: run =>
      run.has('parallelism.recompute_layer')
        ? run.at('parallelism.recompute_layer', run.flag('parallelism.recompute_layer'))
        : run.byDefault(false, 'config/parallelism_config.py: recompute_layer is False'),
    parallel,
    devices,
    gpus: devices,
    strategy,
  },
  ownModel: nanotronModel,
});

import { builtIn } from './defined/compile';
import file from './megatronBridge.yaml';
import type { Dialect } from './dialect';
import { accumulationFromGlobal } from './engine/common';
import { checkpointing, lora, method, offload, parallel, precision, task } from './megatronBridge/rules';
import { valueText } from './shared/words';
import { megatronBridgeWriters } from './megatronBridge/writers';

const RECIPE = 'The recipe on the command line says it, unless a key here does.';

/** Overrides of Megatron-Bridge's recipes, partial by design: what is not here a Python recipe says. Sources are files of
 * NVIDIA-NeMo/Megatron-Bridge 067f987 (0.7.0). */
export const megatronBridge: Dialect = builtIn(file, {
  quantities: {
    task,
    method,
    gradAccum: accumulationFromGlobal,
    packing: run =>
      run.has('dataset.packed_sequence_specs')
        ? run.at('dataset.packed_sequence_specs', true)
        : run.unknown(RECIPE),
    precision,
    precisionRaw: run =>
      run.has('mixed_precision')
        ? run.at('mixed_precision', `mixed_precision: ${valueText(run.value('mixed_precision'))}`)
        : run.unknown('mixed_precision is not set.'),
    gradientCheckpointing: checkpointing,
    lora,
    offload,
    parallel,
  },
  details: {
    distributedOptimizer: run =>
      run.has('ddp.use_distributed_optimizer')
        ? run.at('ddp.use_distributed_optimizer', run.flag('ddp.use_distributed_optimizer'))
        : run.byDefault(true, 'recipes: use_distributed_optimizer is True'),
    sequenceParallel: run =>
      run.has('model.sequence_parallel')
        ? run.at('model.sequence_parallel', run.flag('model.sequence_parallel'))
        : run.unknown(RECIPE),
  },
  writers: megatronBridgeWriters,
});

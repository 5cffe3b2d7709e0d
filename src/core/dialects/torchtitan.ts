import { builtIn } from './defined/compile';
import file from './torchtitan.yaml';
import type { Dialect } from './dialect';
import {
  attention,
  autocast,
  fsdp,
  fusedOptimizer,
  globalRows,
  gradAccum,
  gradientCheckpointing,
  microBatches,
  model,
  offload,
  parallel,
  precision,
  selectiveCheckpointing,
} from './torchtitan/rules';
import { torchName, valueText } from './shared/words';
import { torchtitanWriters } from './torchtitan/writers';

/** torchtitan's job config; sources are files of pytorch/torchtitan 73a0e69 (0.2.2). */
export const torchtitan: Dialect = builtIn(file, {
  quantities: {
    model,
    globalBatchSize: {
      read: globalRows,
      absent: run => run.unknown('training.global_batch_size is not set.'),
    },
    gradAccum,
    precision,
    precisionRaw: run => {
      const key = 'training.mixed_precision_param';
      return run.has(key)
        ? run.at(key, `${key} ${valueText(run.value(key))}`)
        : run.unknown(`${key} is not set.`);
    },
    loadDtype: { write: torchName },
    gradientCheckpointing,
    attention,
    parallel,
    fsdp,
    offload,
  },
  details: { autocast, fusedOptimizer, microBatches, selectiveCheckpointing },
  writers: torchtitanWriters,
});

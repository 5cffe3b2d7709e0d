import { builtIn } from './defined/compile';
import file from './nemoRl.yaml';
import type { Dialect } from './dialect';
import { withBases } from './engine/bases';
import { accumulationFromGlobal } from './engine/common';
import {
  checkpointing,
  evalBatchSize,
  fsdp,
  isMegatron,
  loadDtype,
  lora,
  method,
  offload,
  optimizer,
  packing,
  parallel,
  precisionRaw,
  seqLen,
  task,
} from './nemoRl/rules';
import { nemoRlWriters } from './nemoRl/writers';

/** NeMo-RL, whose files lie on one another; sources are files of NVIDIA-NeMo/RL 7ea279a (0.6.0). */
export const nemoRl: Dialect = builtIn(file, {
  quantities: {
    task,
    method,
    gradAccum: accumulationFromGlobal,
    evalBatchSize,
    seqLen,
    packing,
    precisionRaw,
    loadDtype,
    optimizer,
    gradientCheckpointing: checkpointing,
    lora,
    fsdp,
    offload,
    parallel,
  },
  details: {
    distributedOptimizer: run => {
      const key = 'policy.megatron_cfg.optimizer.use_distributed_optimizer';
      return isMegatron(run) && run.has(key)
        ? run.at(key, run.flag(key))
        : run.none('FSDP shards in place of a distributed optimizer');
    },
    sequenceParallel: run => {
      const key = isMegatron(run)
        ? 'policy.megatron_cfg.sequence_parallel'
        : 'policy.dtensor_cfg.sequence_parallel';
      return run.has(key) ? run.at(key, run.flag(key)) : run.unknown(`${key} is not set.`);
    },
    sequencesPerSample: run =>
      run.get('task').value === 'dpo' || run.get('task').value === 'reward'
        ? run.byCode(2, 'examples/configs/dpo.yaml: a preference sample is a pair')
        : run.byCode(1, 'one row each'),
  },
  writers: nemoRlWriters,
  compose: withBases({ keys: ['defaults'] }),
});

import { builtIn } from './defined/compile';
import file from './megatronLm.yaml';
import type { Dialect } from './dialect';
import { accumulationFromGlobal } from './engine/common';
import { ARGV, ARGV_TEXT } from '../yaml/node';
import { megatronLmModel } from './megatronLm/ownModel';
import {
  checkpointing,
  loadDtype,
  offload,
  pipelineChunks,
  precision,
  precisionRaw,
  selective,
  task,
} from './megatronLm/rules';
import { megatronLmWriters } from './megatronLm/writers';
import { megatronDegrees } from './shared/megatronDegrees';
import { switchedOn } from './shared/switches';

const ARGUMENTS = 'megatron/training/arguments.py';

/** Megatron-LM's arguments on a command line; sources are files of NVIDIA/Megatron-LM d98e8a6 (core 0.20). */
export const megatronLm: Dialect = builtIn(file, {
  accepts: ({ tag }) => tag === ARGV || tag === ARGV_TEXT,
  quantities: {
    task,
    globalBatchSize: {
      absent: run => {
        const [micro, gpus] = [run.get('microBatchSize').value, run.get('gpus').value];
        const { tensor = 1, context = 1, pipeline = 1 } = run.get('parallel').value ?? {};
        const ranks = gpus === null ? null : gpus / (tensor * context * pipeline);
        return micro === null || ranks === null || !Number.isInteger(ranks)
          ? run.unknown(
              'Without global_batch_size it is one micro batch of each replica, whose number is not known.',
            )
          : run.derived(micro * ranks, ['microBatchSize', 'gpus'], `${micro} × ${ranks} replicas`);
      },
    },
    gradAccum: accumulationFromGlobal,
    precision,
    precisionRaw,
    loadDtype,
    gradientCheckpointing: checkpointing,
    attention: run =>
      run.has('attention_backend') && run.word('attention_backend') !== 'auto'
        ? run.at('attention_backend', run.word('attention_backend'))
        : run.flag('use_flash_attn') === true
          ? run.at('use_flash_attn', 'flash_attention_2')
          : run.unknown('Transformer Engine chooses the kernel.'),
    fsdp: run => {
      const key = ['use_torch_fsdp2', 'use_megatron_fsdp', 'use_custom_fsdp'].find(one => run.flag(one));
      return key === undefined
        ? run.none(`${ARGUMENTS}: FSDP is off`)
        : run.at(key, {
            version: 2,
            strategy: 'FULL_SHARD',
            offloadParams: false,
            activationCheckpointing: null,
          });
    },
    offload,
    parallel: run => megatronDegrees(run) ?? run.none(`${ARGUMENTS}: every size is 1`),
  },
  details: {
    sequenceParallel: switchedOn(['sequence_parallel'], `${ARGUMENTS}: sequence_parallel is off`),
    distributedOptimizer: switchedOn(
      ['use_distributed_optimizer'],
      `${ARGUMENTS}: use_distributed_optimizer is off`,
    ),
    pipelineChunks,
    selectiveCheckpointing: selective,
    expertTensorRanks: run =>
      run.has('expert_tensor_parallel_size')
        ? run.at('expert_tensor_parallel_size', run.count('expert_tensor_parallel_size'))
        : run.derived(run.get('parallel').value?.tensor ?? 1, ['parallel'], 'as many as share heads'),
  },
  detailKeys: {
    selectiveCheckpointing: {
      keys: ['recompute_granularity'],
      write: to => (to === 'operations' ? 'selective' : null),
      near: ['micro_batch_size'],
    },
  },
  writers: megatronLmWriters,
  ownModel: megatronLmModel,
});

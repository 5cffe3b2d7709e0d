import type { Dialect } from './dialect';
import { accumulationFromGlobal } from './engine/common';
import { count, countOrNone, word } from './engine/readers';
import { ARGV, ARGV_TEXT } from '../yaml/node';
import { megatronLmHelp } from './megatronLm/help';
import { megatronLmLogs } from './megatronLm/output';
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
export const megatronLm: Dialect = {
  id: 'megatron-lm',
  title: 'Megatron-LM',
  role: 'run',
  framework: { name: 'megatron-lm', version: '0.20.0' },
  loader: 'omegaconf',
  signature: {
    strong: ['micro_batch_size', 'num_attention_heads', 'tensor_model_parallel_size'],
    medium: ['seq_length', 'num_layers', 'hidden_size', 'global_batch_size', 'max_position_embeddings'],
    weak: ['bf16', 'fp16', 'data_path', 'train_iters', 'split'],
    against: ['model_name_or_path', 'deepspeed'],
    needs: ['micro_batch_size', 'num_layers'],
    least: 8,
    accepts: ({ tag }) => tag === ARGV || tag === ARGV_TEXT,
  },
  quantities: {
    model: run => run.unknown('The arguments give the sizes of a model, and no name.'),
    task,
    method: run => run.byCode('full', 'megatron/training/training.py: all parameters'),
    microBatchSize: { keys: ['micro_batch_size'], read: count },
    globalBatchSize: {
      keys: ['global_batch_size'],
      read: count,
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
    seqLen: { keys: ['seq_length', 'encoder_seq_length'], read: count },
    packing: run => run.byCode(true, 'megatron/core/datasets/gpt_dataset.py: rows are cut out of a corpus'),
    precision,
    precisionRaw,
    loadDtype,
    quantization: run => run.none('Megatron trains no quantised weights'),
    optimizer: {
      keys: ['optimizer'],
      read: word,
      absent: { value: 'adam', source: `${ARGUMENTS}: optimizer is adam` },
    },
    gradientCheckpointing: checkpointing,
    attention: run =>
      run.has('attention_backend') && run.word('attention_backend') !== 'auto'
        ? run.at('attention_backend', run.word('attention_backend'))
        : run.flag('use_flash_attn') === true
          ? run.at('use_flash_attn', 'flash_attention_2')
          : run.unknown('Transformer Engine chooses the kernel.'),
    lora: run => run.none('Megatron-LM trains no adapters'),
    zeroStage: run => run.none('Megatron has no DeepSpeed'),
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
    accelerator: run => run.byCode('cuda', 'megatron/training/initialize.py: Megatron requires CUDA'),
    numWorkers: {
      keys: ['num_workers'],
      read: countOrNone,
      absent: { value: 2, source: `${ARGUMENTS}: num_workers is 2` },
    },
    compile: run => run.byCode(false, 'megatron/core: only fused element-wise functions are compiled'),
  },
  details: {
    autocast: run => run.byCode(false, 'Megatron computes in the dtype of its weights'),
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
  ownModel: megatronLmModel,
  detailKeys: {
    selectiveCheckpointing: {
      keys: ['recompute_granularity'],
      write: to => (to === 'operations' ? 'selective' : null),
      near: ['micro_batch_size'],
    },
  },
  writers: megatronLmWriters,
  program: {
    words: /(?:^|[/ ])pretrain_(?:gpt|llama)\w*\.py(?= |$)(?!.* --deepspeed(?: |$))/,
    source: 'megatron/training/arguments.py: argparse, no file',
  },
  logs: megatronLmLogs,
  help: megatronLmHelp,
};

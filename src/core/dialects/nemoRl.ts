import type { Dialect } from './dialect';
import { withBases } from './engine/bases';
import { accumulationFromGlobal } from './engine/common';
import { count, countOrNone, word } from './engine/readers';
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
import { dtypeWord } from './shared/words';
import { nemoRlWriters } from './nemoRl/writers';
import { nemoRlLaunch, nemoRlLogs } from './nemoRl/output';
import { nemoRlHelp } from './nemoRl/help';

/** NeMo-RL, whose files lie on one another; sources are files of NVIDIA-NeMo/RL 7ea279a (0.6.0). */
export const nemoRl: Dialect = {
  id: 'nemo-rl',
  title: 'NeMo-RL',
  role: 'run',
  framework: { name: 'nemo-rl', version: '0.6.0', libraries: { transformers: '4.57' } },
  loader: 'omegaconf',
  signature: {
    strong: [
      'policy.model_name',
      'policy.train_global_batch_size',
      'policy.dtensor_cfg',
      'policy.megatron_cfg',
      'cluster.gpus_per_node',
      'policy.max_total_sequence_length',
      String.raw`defaults~\.ya?ml$`,
    ],
    medium: [
      'policy',
      'cluster',
      'grpo',
      'sft',
      'dpo',
      'rm',
      'distillation',
      'checkpointing',
      'loss_fn',
      'env.math',
      'generation',
      'policy.generation',
      'policy.train_micro_batch_size',
    ],
    weak: [
      'defaults',
      'logger.wandb_enabled',
      'data.max_input_seq_length',
      'logger.log_dir',
      'checkpointing.checkpoint_dir',
    ],
    against: ['actor_rollout_ref', 'step_scheduler'],
    needs: ['policy', 'grpo', 'sft', 'dpo', 'rm', 'distillation', 'cluster.gpus_per_node', 'generation'],
    least: 6,
  },
  quantities: {
    model: { keys: ['policy.model_name', 'generation.model_name'], read: word },
    task,
    method,
    microBatchSize: { keys: ['policy.train_micro_batch_size'], read: count },
    globalBatchSize: { keys: ['policy.train_global_batch_size'], read: count },
    gradAccum: accumulationFromGlobal,
    evalBatchSize,
    seqLen,
    packing,
    precision: { keys: ['policy.precision', 'generation.vllm_cfg.precision'], read: dtypeWord },
    precisionRaw,
    loadDtype,
    quantization: run => run.none('NeMo-RL trains no quantised weights'),
    optimizer,
    gradientCheckpointing: checkpointing,
    lora,
    zeroStage: run => run.none('NeMo-RL has no DeepSpeed'),
    fsdp,
    offload,
    parallel,
    devices: { keys: ['cluster.gpus_per_node'], read: count },
    nodes: { keys: ['cluster.num_nodes'], read: count },
    numWorkers: { keys: ['data.num_workers'], read: countOrNone },
    compile: run => run.byCode(false, 'nemo_rl/models/policy/workers: no torch.compile'),
  },
  details: {
    autocast: run =>
      run.byCode(false, 'nemo_rl/models/policy: FSDP casts in its mixed precision, no autocast for training'),
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
  compose: withBases({ keys: ['defaults'] }),
  writers: nemoRlWriters,
  launch: nemoRlLaunch,
  logs: nemoRlLogs,
  help: nemoRlHelp,
};

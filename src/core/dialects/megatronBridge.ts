import type { Dialect } from './dialect';
import { accumulationFromGlobal } from './engine/common';
import { count, word } from './engine/readers';
import { checkpointing, lora, method, offload, parallel, precision, task } from './megatronBridge/rules';
import { written } from './shared/words';
import { megatronBridgeWriters } from './megatronBridge/writers';
import { megatronBridgeLaunch, megatronBridgeLogs } from './megatronBridge/output';
import { megatronBridgeHelp } from './megatronBridge/help';

const RECIPE = 'The recipe on the command line says it, unless a key here does.';

/**
 * Overrides of Megatron-Bridge's recipes, partial by design: what is not here a Python recipe says. Sources are files of
 * NVIDIA-NeMo/Megatron-Bridge 067f987 (0.7.0).
 */
export const megatronBridge: Dialect = {
  id: 'megatron-bridge',
  title: 'Megatron-Bridge',
  role: 'run',
  framework: { name: 'megatron-bridge', version: '0.7.0' },
  loader: 'omegaconf',
  signature: {
    strong: [
      'train.train_iters',
      'dist.use_megatron_fsdp',
      'scheduler.lr_warmup_iters',
      'ddp.grad_reduce_in_fp32',
    ],
    medium: [
      'dataset.seq_length',
      'model.seq_length',
      'checkpoint.pretrained_checkpoint',
      'logger.log_interval',
      'train.global_batch_size',
      'checkpoint.finetune',
      'train.eval_iters',
    ],
    weak: ['model.tensor_model_parallel_size', 'rng.seed', 'peft.dim', 'optimizer.min_lr', 'mixed_precision'],
    against: ['trainer', 'policy', 'base_model', 'step_scheduler'],
    needs: ['train', 'model', 'checkpoint'],
    least: 6,
  },
  quantities: {
    model: run => run.unknown(`The model is the recipe's. ${RECIPE}`),
    task,
    method,
    microBatchSize: { keys: ['train.micro_batch_size'], read: count },
    globalBatchSize: { keys: ['train.global_batch_size'], read: count },
    gradAccum: accumulationFromGlobal,
    seqLen: { keys: ['model.seq_length', 'dataset.seq_length'], read: count },
    packing: run =>
      run.has('dataset.packed_sequence_specs')
        ? run.at('dataset.packed_sequence_specs', true)
        : run.unknown(RECIPE),
    precision,
    precisionRaw: run =>
      run.has('mixed_precision')
        ? run.at('mixed_precision', `mixed_precision: ${written(run.value('mixed_precision'))}`)
        : run.unknown('mixed_precision is not set.'),
    loadDtype: run => run.unknown(RECIPE),
    quantization: run => run.none('Megatron trains no quantised weights'),
    optimizer: {
      keys: ['optimizer.optimizer'],
      read: word,
      absent: { value: 'adam', source: 'recipes: distributed_fused_adam_with_cosine_annealing' },
    },
    gradientCheckpointing: checkpointing,
    lora,
    zeroStage: run => run.none('Megatron has no DeepSpeed'),
    fsdp: run => run.none('dist.use_torch_fsdp2 is False'),
    offload,
    parallel,
  },
  details: {
    autocast: run => run.byCode(false, 'Megatron computes in the dtype of its weights'),
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
  launch: megatronBridgeLaunch,
  logs: megatronBridgeLogs,
  help: megatronBridgeHelp,
};

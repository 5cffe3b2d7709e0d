import type { Dialect } from './dialect';
import { count, number, word } from './engine/readers';
import { litgptHelp } from './litgpt/help';
import { litgptLaunch, litgptLogs } from './litgpt/output';
import {
  accumulation,
  activationCheckpointing,
  attention,
  fsdp,
  isPretraining,
  loadDtype,
  lora,
  loss,
  method,
  offload,
  optimizer,
  packing,
  precision,
  precisionRaw,
  quantization,
  task,
} from './litgpt/rules';
import { litgptWriters } from './litgpt/writers';
import { autocastByPrecision, lightningDevices } from './shared/lightning';
import { datasetsBy } from './shared/datasets';

/** LitGPT's finetune and pretrain configs; sources are files of Lightning-AI/litgpt 2685705 (0.5.13). */
export const litgpt: Dialect = {
  id: 'litgpt',
  title: 'LitGPT',
  role: 'run',
  framework: { name: 'litgpt', version: '0.5.13' },
  loader: 'omegaconf',
  signature: {
    strong: ['train.lr_warmup_steps', 'eval.initial_validation', 'data.class_path'],
    medium: [
      'checkpoint_dir',
      'out_dir',
      'logger_name',
      'optimizer.class_path',
      'train.max_norm',
      'train.min_lr',
      'train.tie_embeddings',
      'train.save_interval',
      'lora_r',
      'quantize',
    ],
    weak: [
      'train.global_batch_size',
      'train.micro_batch_size',
      'precision',
      'devices',
      'num_nodes',
      'train.max_seq_length',
    ],
    against: ['trainer', 'policy'],
    needs: [
      'train.lr_warmup_steps',
      'train.micro_batch_size',
      'train.global_batch_size',
      'eval.initial_validation',
      'train.save_interval',
      'train.max_tokens',
    ],
    least: 4,
  },
  quantities: {
    model: {
      keys: ['checkpoint_dir', 'model_name', 'model_config.name', 'initial_checkpoint_dir'],
      read: word,
    },
    task,
    method,
    microBatchSize: {
      keys: ['train.micro_batch_size'],
      read: count,
      absent: run =>
        isPretraining(run)
          ? run.byDefault(4, 'litgpt/pretrain.py setup(): TrainArgs(micro_batch_size=4)')
          : run.byDefault(1, 'litgpt/finetune/*.py setup(): TrainArgs(micro_batch_size=1)'),
      near: ['train.global_batch_size'],
    },
    globalBatchSize: {
      keys: ['train.global_batch_size'],
      read: count,
      absent: run =>
        isPretraining(run)
          ? run.byDefault(512, 'litgpt/pretrain.py setup(): TrainArgs(global_batch_size=512)')
          : run.byDefault(16, 'litgpt/finetune/*.py setup(): TrainArgs(global_batch_size=16)'),
    },
    gradAccum: accumulation,
    // generate and eval take what training takes: litgpt/finetune/*.py get_dataloaders.
    evalBatchSize: run =>
      run.derived(run.get('microBatchSize').value, ['microBatchSize'], 'validation takes micro batches'),
    seqLen: { keys: ['train.max_seq_length', 'data.init_args.max_seq_length'], read: count },
    packing,
    precision,
    precisionRaw,
    loadDtype,
    quantization,
    optimizer,
    gradientCheckpointing: activationCheckpointing,
    attention,
    loss,
    lora,
    zeroStage: run => run.none('litgpt has no DeepSpeed'),
    fsdp,
    offload,
    parallel: run => run.none('litgpt/finetune/*.py: data-parallel sharding only'),
    devices: {
      keys: ['devices'],
      read: lightningDevices,
      absent: run =>
        isPretraining(run)
          ? run.byDefault<number | 'auto'>('auto', 'litgpt/pretrain.py setup(): devices is auto')
          : run.byDefault<number | 'auto'>(1, 'litgpt/finetune/*.py setup(): devices is 1'),
    },
    nodes: { keys: ['num_nodes'], read: count, absent: { value: 1, source: 'litgpt: num_nodes is 1' } },
    numWorkers: {
      keys: ['data.init_args.num_workers'],
      read: count,
      absent: { value: 4, source: 'litgpt/data/*.py: num_workers is 4' },
    },
    compile: run =>
      isPretraining(run)
        ? run.byCode(true, 'litgpt/pretrain.py L213: torch.compile(model)')
        : run.byCode(false, 'litgpt/finetune/*.py'),
  },
  datasets: datasetsBy({ path: 'data.init_args.json_path', template: 'alpaca' }),
  details: {
    autocast: autocastByPrecision,
    paddedRows: run =>
      isPretraining(run)
        ? run.byCode(false, 'litgpt/data: tokens of a stream')
        : run.byCode(true, 'litgpt/data/base.py get_sft_collate_fn pads to the longest row'),
    fusedOptimizer: run =>
      isPretraining(run)
        ? run.byCode(true, 'litgpt/pretrain.py: instantiate_torch_optimizer with fused')
        : run.byDefault(false, 'litgpt/utils.py instantiate_torch_optimizer: fused in pretraining only'),
    reentrantCheckpointing: run => run.byCode(false, 'torch apply_activation_checkpointing: not reentrant'),
    referenceModel: run => run.none('litgpt has no preference training'),
    evaluates: run => {
      const interval = run.read('eval.interval', number);
      return interval === null
        ? run.byDefault(true, 'litgpt/args.py EvalArgs: interval')
        : run.at('eval.interval', interval > 0);
    },
  },
  writers: litgptWriters,
  launch: litgptLaunch,
  logs: litgptLogs,
  help: litgptHelp,
};

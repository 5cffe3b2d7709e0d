import type { Dialect } from './dialect';
import { accumulationFromGlobal } from './engine/common';
import { count, countOrNone, word } from './engine/readers';
import {
  attention,
  checkpoint,
  checkpointing,
  fsdp,
  fullPrecision,
  loadDtype,
  lora,
  method,
  offload,
  packing,
  parallel,
  precision,
  precisionRaw,
  selective,
  task,
} from './nemoMegatron/rules';
import { nemoModel } from './nemoMegatron/ownModel';
import { nemoMegatronWriters, selectiveKey } from './nemoMegatron/writers';
import { nemoMegatronLaunch, nemoMegatronLogs } from './nemoMegatron/output';
import { nemoMegatronHelp } from './nemoMegatron/help';

const PRETRAIN = 'NeMo conf/megatron_gpt_config.yaml';

/** NeMo 1.x on Megatron, and the files of its launcher; sources are files of NVIDIA/NeMo 8cfedd7 (2.6.0rc0). */
export const nemoMegatron: Dialect = {
  id: 'nemo-megatron',
  title: 'NeMo Megatron',
  role: 'run',
  framework: { name: 'nemo-megatron', version: '2.6.0rc0' },
  loader: 'omegaconf',
  signature: {
    strong: ['exp_manager', 'model.megatron_amp_O2', 'model.mcore_gpt'],
    medium: [
      'model.activations_checkpoint_granularity',
      'model.global_batch_size',
      'model.tensor_model_parallel_size',
      'model.optim',
      'trainer.devices',
      'trainer.precision',
      'model.restore_from_path',
      'model.peft',
      'run.name',
      'run.results_dir',
      'gpt_model_file',
    ],
    weak: [
      'model.data',
      'trainer',
      'model.encoder_seq_length',
      'model.micro_batch_size',
      'hydra',
      'trainer.num_nodes',
      'trainer.use_distributed_sampler',
    ],
    against: ['policy', 'step_scheduler', 'trainer.logger[].class_path', 'trainer.callbacks[].class_path'],
    // NeMo's speech configs have exp_manager as well, and none of Megatron's keys; configs for inference have no batch.
    needs: [
      'model.micro_batch_size',
      'model.global_batch_size',
      'model.megatron_amp_O2',
      'model.tensor_model_parallel_size',
      'model.peft',
    ],
    least: 6,
  },
  // NeMo-Aligner's PPO has one such config for each of its models.
  roots: ['actor', 'critic'],
  quantities: {
    model: { keys: ['model.restore_from_path'], read: checkpoint },
    task,
    method,
    microBatchSize: { keys: ['model.micro_batch_size', 'model.data.train_ds.micro_batch_size'], read: count },
    globalBatchSize: {
      keys: ['model.global_batch_size', 'model.data.train_ds.global_batch_size'],
      read: count,
    },
    gradAccum: accumulationFromGlobal,
    evalBatchSize: { keys: ['model.data.validation_ds.micro_batch_size'], read: count },
    seqLen: {
      keys: ['model.data.train_ds.max_seq_length', 'model.encoder_seq_length', 'model.data.seq_length'],
      read: count,
    },
    packing,
    precision,
    precisionRaw,
    loadDtype,
    quantization: run => run.none('NeMo trains no quantised weights'),
    optimizer: { keys: ['model.optim.name'], read: word },
    gradientCheckpointing: checkpointing,
    attention,
    lora,
    zeroStage: run => run.none('NeMo has no DeepSpeed'),
    fsdp,
    offload,
    parallel,
    devices: {
      keys: ['trainer.devices'],
      read: count,
      absent: { value: 1, source: PRETRAIN },
    },
    nodes: { keys: ['trainer.num_nodes'], read: count, absent: { value: 1, source: PRETRAIN } },
    accelerator: { keys: ['trainer.accelerator'], read: word },
    numWorkers: { keys: ['model.data.train_ds.num_workers', 'model.data.num_workers'], read: countOrNone },
    compile: run => run.byCode(false, 'NeMo compiles nothing'),
  },
  details: {
    autocast: run => run.derived(!fullPrecision(run), ['precision'], 'autocast unless megatron_amp_O2'),
    sequenceParallel: run =>
      run.has('model.sequence_parallel')
        ? run.at('model.sequence_parallel', run.flag('model.sequence_parallel'))
        : run.byDefault(false, PRETRAIN),
    pipelineChunks: run =>
      run.has(VIRTUAL)
        ? run.at(VIRTUAL, run.count(VIRTUAL))
        : run.byDefault(1, `${PRETRAIN}: virtual_pipeline_model_parallel_size is null`),
    distributedOptimizer: run => {
      const name = run.word('model.optim.name') ?? '';
      return run.at('model.optim.name', name.includes('distributed'));
    },
    selectiveCheckpointing: selective,
  },
  ownModel: nemoModel,
  detailKeys: { selectiveCheckpointing: selectiveKey },
  writers: nemoMegatronWriters,
  launch: nemoMegatronLaunch,
  logs: nemoMegatronLogs,
  help: nemoMegatronHelp,
};

const VIRTUAL = 'model.virtual_pipeline_model_parallel_size';

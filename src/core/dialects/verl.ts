import type { Dialect } from './dialect';
import { hydraTree } from './engine/hydra/composer';
import { count, countOrNone, flag, word } from './engine/readers';
import { verlHelp } from './verl/help';
import { verlLaunch, verlLogs } from './verl/output';
import { attention, fsdp, loadDtype, lora, loss, method, offload, optimizer, parallel } from './verl/parts';
import {
  completionTokens,
  devices,
  effectiveBatch,
  globalBatchSize,
  gradAccum,
  isSft,
  memoryShare,
  microBatchSize,
  packing,
  referenceModel,
  seqLen,
  task,
} from './verl/rules';
import { verlWriters } from './verl/writers';
import { autocastByPrecision } from './shared/lightning';
import { datasetsBy, templateBy } from './shared/datasets';

/** verl's trainers; sources are files of volcengine/verl b178a3c (0.8.0.dev), defaults of trainer/config/_generated_ppo_trainer.yaml. */
export const verl: Dialect = {
  id: 'verl',
  title: 'verl',
  role: 'run',
  framework: { name: 'verl', version: '0.8.0' },
  loader: 'omegaconf',
  signature: {
    strong: [
      'actor_rollout_ref',
      'data.max_prompt_length',
      'trainer.n_gpus_per_node',
      'trainer.default_local_dir',
      'data.custom_cls',
    ],
    medium: [
      'algorithm.adv_estimator',
      'critic',
      'reward_model',
      'data.train_batch_size',
      'trainer.total_epochs',
      'trainer.default_hdfs_dir',
      'data.micro_batch_size_per_gpu',
      'hydra.searchpath',
      'model.partial_pretrain',
      'use_remove_padding',
      'defaults[]',
    ],
    weak: ['defaults', 'data', 'trainer', 'optim', 'algorithm', 'checkpoint'],
    against: ['policy', 'step_scheduler', 'exp_manager', 'base_model'],
    // A component (an actor's or an engine's fragment) is no run by itself.
    needs: [
      'actor_rollout_ref',
      'data.micro_batch_size_per_gpu',
      'data.max_prompt_length',
      'model.partial_pretrain',
    ],
    least: 5,
  },
  quantities: {
    model: {
      keys: ['actor_rollout_ref.model.path', 'model.partial_pretrain', 'model.path'],
      read: word,
      absent: run =>
        isSft(run)
          ? run.byDefault('~/models/gemma-1.1-7b-it', 'trainer/config/sft_trainer.yaml')
          : run.byDefault('~/models/deepseek-llm-7b-chat', 'trainer/config/model/hf_model.yaml'),
    },
    task,
    method,
    microBatchSize,
    gradAccum,
    globalBatchSize,
    effectiveBatch,
    seqLen,
    packing,
    precision: run => run.byDefault('bf16-mixed', 'workers/actor/dp_actor.py: autocast in bfloat16'),
    precisionRaw: run => run.unknown('No key of verl names the precision.'),
    loadDtype,
    quantization: run => run.none('verl/workers: trained weights are not quantised'),
    optimizer,
    gradientCheckpointing: {
      keys: ['actor_rollout_ref.model.enable_gradient_checkpointing', 'model.enable_gradient_checkpointing'],
      read: flag,
      absent: { value: true, source: 'trainer/config/model/hf_model.yaml' },
    },
    attention,
    loss,
    lora,
    zeroStage: run => run.none('verl/workers: FSDP or Megatron'),
    fsdp,
    offload,
    parallel,
    devices,
    nodes: {
      keys: ['trainer.nnodes'],
      read: count,
      absent: { value: 1, source: 'trainer/config: nnodes is 1' },
    },
    numWorkers: {
      keys: ['data.dataloader_num_workers'],
      read: countOrNone,
      absent: { value: 8, source: 'trainer/config/data/legacy_data.yaml' },
    },
    compile: run => run.byDefault(false, 'verl/workers: only the entropy is compiled'),
  },
  datasets: datasetsBy({
    path: 'data.train_files',
    template: 'chat',
    ownTemplate: templateBy('actor_rollout_ref.model.custom_chat_template', 'model.custom_chat_template'),
    columns: { messages: 'data.messages_key', prompt: 'data.prompt_key', completion: 'data.response_key' },
  }),
  details: {
    autocast: autocastByPrecision,
    paddedRows: run =>
      run.derived(run.get('packing').value !== true, ['packing'], 'padding is removed or it is not'),
    fixedLength: run =>
      run.get('packing').value === true
        ? run.derived(false, ['packing'], 'rows without padding')
        : run.byCode(true, 'utils/dataset: prompts and responses are padded to their lengths'),
    reentrantCheckpointing: run =>
      run.byCode(false, 'workers/fsdp_workers.py: gradient_checkpointing_kwargs use_reentrant=False'),
    referenceModel,
    completionTokens,
    // The engine writes; the trained copy does not.
    rolloutRows: run => run.byCode(0, 'verl/workers/rollout: an engine writes'),
    memoryShare,
  },
  compose: hydraTree,
  writers: verlWriters,
  launch: verlLaunch,
  logs: verlLogs,
  help: verlHelp,
};

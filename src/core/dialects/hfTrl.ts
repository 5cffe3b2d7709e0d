import type { Dialect } from './dialect';
import { hfTrlDetails } from './hfTrl/details';
import { hfTrlPresets } from './hfTrl/presets';
import {
  attentionBySwitch,
  loadDtype,
  lora,
  loss,
  method,
  packingByTask,
  precision,
  quantization,
  seqLen,
  task,
} from './hfTrl/rules';
import { hfTrlWriters } from './hfTrl/writers';
import { count, flag, word } from './engine/readers';
import { deepspeedReference, trainingArguments, trainingArgumentsEvidence } from './shared/trainingArguments';
import { rawWords } from './shared/words';
import { hfTrlLaunch } from './hfTrl/output';
import { hfTrlHelp } from './hfTrl/help';
import { trainerLogs } from './shared/trainerOutput';
import { hfTrlDatasets } from './hfTrl/datasets';

/**
 * TRL, alignment-handbook, open-r1 and their kin: transformers' TrainingArguments and a trainer's own keys, flat in
 * one YAML. The release tags of huggingface/trl up to f2cd577 were read for what holds since when.
 */
export const hfTrl: Dialect = {
  id: 'hf-trl',
  title: 'TRL',
  role: 'run',
  framework: { name: 'trl', version: '1.10.0', libraries: { transformers: '5.18.0' } },
  evidence: [
    ...trainingArgumentsEvidence,
    {
      keys: ['evaluation_strategy', 'dataset_mixer', 'use_flash_attention_2', 'gamma_beta_ratio'],
      upTo: { trl: '0.11.4', transformers: '4.45.2' },
      source: 'trl 0.12 needs transformers 4.46; the other keys are those of scripts of that time',
    },
    {
      keys: ['use_liger', 'vllm_device'],
      upTo: { trl: '0.17.0', transformers: '4.51.3' },
      source: 'removed in 0.18',
    },
    { keys: ['max_seq_length'], upTo: { trl: '0.19.1', transformers: '4.53.3' }, source: 'removed in 0.20' },
    { keys: ['torch_dtype'], upTo: { trl: '0.26.2', transformers: '4.57.6' }, source: 'removed in 0.27' },
    { keys: ['max_prompt_length', 'rpo_alpha'], upTo: { trl: '0.28.0' }, source: 'removed in 0.29' },
  ],
  loader: 'pyyaml',
  signature: {
    strong: ['dataset_mixture', 'dataset_mixer', 'use_peft', 'loss_type', 'num_generations'],
    medium: [
      'model_name_or_path',
      'model_revision',
      'torch_dtype',
      'attn_implementation',
      'max_prompt_length',
      'dataset_num_proc',
      'max_seq_length',
      'max_length',
      'beta',
      'gradient_checkpointing_kwargs',
      'load_in_4bit',
      'lora_target_modules',
      'packing',
      'use_liger',
      'use_liger_kernel',
      'preprocessing_num_workers',
      'dataset_splits',
      'reward_funcs',
      'dataset_name',
      'dataset_config',
      'log_level',
    ],
    weak: [
      'per_device_train_batch_size',
      'per_device_eval_batch_size',
      'num_train_epochs',
      'lr_scheduler_type',
      'warmup_ratio',
      'gradient_accumulation_steps',
      'learning_rate',
      'bf16',
      'push_to_hub',
      'hub_model_id',
      'hub_strategy',
      'save_strategy',
      'report_to',
      'do_eval',
      'eval_strategy',
      'evaluation_strategy',
      'save_total_limit',
      'logging_strategy',
      'optim',
      'chat_template',
      'dataset_text_field',
      'gradient_checkpointing',
    ],
    against: [
      'finetuning_type',
      'template',
      'cutoff_len',
      'base_model',
      'with_tracking',
      'use_slow_tokenizer',
      'tokenizer_name',
      'checkpointing_steps',
      'tuner_type',
      'train_type',
      'rlhf_type',
      'use_flash_attn',
      'dataset_mixer_list',
      'split_dataset_ratio',
    ],
    needs: [
      'learning_rate',
      'per_device_train_batch_size',
      'gradient_accumulation_steps',
      'num_train_epochs',
      'max_steps',
      'output_dir',
    ],
    least: 6,
  },
  quantities: {
    ...trainingArguments,
    model: { keys: ['model_name_or_path'], read: word },
    task,
    method,
    seqLen,
    packing: { keys: ['packing'], read: flag, absent: packingByTask, near: ['max_length', 'max_seq_length'] },
    precision,
    precisionRaw: run => {
      const words = rawWords(run, ['bf16', 'fp16']);
      return words === null ? run.unknown('No precision key is set.') : run.at(['bf16', 'fp16'], words);
    },
    loadDtype,
    quantization,
    gradientCheckpointing: {
      ...trainingArguments.gradientCheckpointing,
      absent: [
        { value: true, source: 'trl base_config.py', since: '0.22.0' },
        { value: false, source: 'transformers training_args.py' },
      ],
    },
    attention: { keys: ['attn_implementation'], read: word, absent: attentionBySwitch },
    loss,
    lora,
    gpus: {
      keys: ['num_processes'],
      read: count,
      absent: run =>
        run.part('accelerate_config')?.get('gpus') ?? run.unknown('The launcher decides the number of GPUs.'),
    },
    nodes: {
      keys: ['num_machines'],
      read: count,
      absent: run =>
        run.part('accelerate_config')?.get('nodes') ??
        run.unknown('The launcher decides the number of nodes.'),
    },
  },
  datasets: hfTrlDatasets,
  details: hfTrlDetails,
  writers: hfTrlWriters,
  references: [
    deepspeedReference,
    { key: 'spectrum_config_path', dialect: 'spectrum' },
    { key: 'accelerate_config', dialect: 'accelerate', presets: hfTrlPresets },
  ],
  launch: hfTrlLaunch,
  help: hfTrlHelp,
  logs: trainerLogs,
};

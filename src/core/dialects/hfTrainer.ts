import type { Dialect } from './dialect';
import {
  attentionWords,
  DTYPE_KEYS,
  imageSize,
  lora,
  method,
  precision,
  quantization,
  seqLen,
} from './hfTrainer/rules';
import { packs } from './packs/registry';
import { withPacks } from './engine/packs';
import { zeroBuffersOf } from './shared/sharding';
import { task } from './hfTrainer/task';
import { contrastive } from './shared/contrastive';
import { mediaDetails } from './hfTrainer/media';
import { hfTrainerWriters } from './hfTrainer/writers';
import { resumesBy } from './shared/checkpoints';
import { deviceMapAt } from './shared/deviceMap';
import { evaluatesByStrategy } from './shared/evaluation';
import { flag, word } from './engine/readers';
import {
  autocastByFlags,
  deepspeedReference,
  ligerKernels,
  reentrantCheckpointing,
  trainingArguments,
  trainingArgumentsEvidence,
} from './shared/trainingArguments';
import { checkpointDtype, loadDtype } from './shared/loading';
import { rawWords } from './shared/words';
import { trainerHelp } from './shared/trainerHelp';
import { trainerLogs } from './shared/trainerOutput';
import { hfTrainerLaunch } from './hfTrainer/output';

const general: Dialect = {
  id: 'hf-trainer',
  title: 'Transformers Trainer',
  role: 'run',
  framework: { name: 'transformers', version: '5.18.0' },
  evidence: trainingArgumentsEvidence,
  loader: 'pyyaml',
  signature: {
    strong: ['per_device_train_batch_size'],
    medium: ['output_dir', 'dataloader_num_workers'],
    // Keys that TRL's configs have as well weigh there what they weigh here: adding one does not move a file.
    weak: [
      'gradient_accumulation_steps',
      'max_steps',
      'learning_rate',
      'lr_scheduler_type',
      'optim',
      'per_device_eval_batch_size',
      'num_train_epochs',
      'warmup_ratio',
      'warmup_steps',
      'bf16',
      'fp16',
      'save_strategy',
      'eval_strategy',
      'evaluation_strategy',
      'logging_steps',
      'load_best_model_at_end',
      'gradient_checkpointing',
      'remove_unused_columns',
    ],
    // LLaMA-Factory, ms-swift, open-instruct, diffusers and Axolotl share these arguments; their own keys tell them.
    against: [
      'finetuning_type',
      'template',
      'cutoff_len',
      'stage',
      'tuner_type',
      'train_type',
      'rlhf_type',
      'split_dataset_ratio',
      'with_tracking',
      'use_slow_tokenizer',
      'checkpointing_steps',
      'dataset_mixer_list',
      'use_flash_attn',
      'sequence_len',
      'micro_batch_size',
      'distributed_type',
      'max_train_steps',
    ],
    // Diffusers' and accelerate's scripts have the rest of the words too.
    needs: [
      'per_device_train_batch_size',
      'per_gpu_train_batch_size',
      'lr_scheduler_type',
      'save_strategy',
      'eval_strategy',
      'evaluation_strategy',
      'logging_strategy',
    ],
    least: 6,
  },
  roots: ['training', 'training_args', 'train', 'trainer', 'training_arguments', 'TrainingArguments', 'args'],
  quantities: {
    ...trainingArguments,
    model: {
      keys: [
        'model_name_or_path',
        'model_id',
        'model.model_name_or_path',
        'model.name_or_path',
        'model.model_name',
        'model.name',
        'model.path',
        'model.base_model',
        'model.base',
        'base_model',
        'model_name',
        'model',
      ],
      read: word,
    },
    task,
    method,
    seqLen,
    imageSize,
    precision,
    precisionRaw: run => {
      const words = rawWords(run, ['bf16', 'fp16']) ?? rawWords(run, ['tf32']);
      return words === null
        ? run.unknown('No precision key is set.')
        : run.at(['bf16', 'fp16', 'tf32'], words);
    },
    loadDtype: run => loadDtype(run, DTYPE_KEYS),
    quantization,
    packing: { keys: ['packing', 'data.packing'], read: flag },
    attention: attentionWords,
    loss: run => {
      const liger = run.flag('use_liger_kernel');
      return liger
        ? run.at('use_liger_kernel', 'liger')
        : run.byDefault('standard', 'transformers training_args.py: use_liger_kernel is false');
    },
    lora,
  },
  details: {
    checkpointDtype: checkpointDtype(DTYPE_KEYS),
    autocast: autocastByFlags,
    reentrantCheckpointing,
    kernels: ligerKernels,
    zeroBuffers: zeroBuffersOf(['deepspeed']),
    evaluates: evaluatesByStrategy,
    resumes: resumesBy('resume_from_checkpoint'),
    deviceMap: deviceMapAt('', 'model.', 'model_init_kwargs.', 'model_kwargs.'),
    ...mediaDetails,
    contrastive,
  },
  writers: hfTrainerWriters,
  references: [deepspeedReference],
  launch: hfTrainerLaunch,
  logs: trainerLogs,
  help: trainerHelp,
};

/**
 * transformers' TrainingArguments in a script's own YAML: flat, or in a section of their own beside sections for the
 * model, LoRA and data. Wheels of transformers 4.45.2 to 5.18.0 were read.
 */
export const hfTrainer: Dialect = withPacks(general, packs);

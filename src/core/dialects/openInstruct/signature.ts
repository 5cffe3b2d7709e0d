import type { Signature } from '../engine/signature';

export const openInstructSignature: Signature = {
  strong: [
    'with_tracking',
    'use_slow_tokenizer',
    'checkpointing_steps',
    'dataset_mixer_list',
    'use_qlora',
    'reduce_loss',
    'dpo_loss_type',
    'keep_last_n_checkpoints',
  ],
  medium: [
    'tokenizer_name',
    'use_flash_attn',
    'use_lora',
    'add_bos',
    'dataset_mix_dir',
    'hf_metadata_dataset',
    'num_epochs',
    'train_file',
  ],
  weak: [
    'max_seq_length',
    'preprocessing_num_workers',
    'model_name_or_path',
    'per_device_train_batch_size',
    'dataset_mixer',
    'max_train_steps',
  ],
  against: ['base_model', 'finetuning_type'],
  // Files for Beaker wrap the command; they are no configs of it.
  needs: ['model_name_or_path', 'per_device_train_batch_size'],
  least: 6,
};

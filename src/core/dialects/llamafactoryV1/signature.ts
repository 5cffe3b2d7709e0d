import type { Signature } from '../engine/signature';

export const llamafactoryV1Signature: Signature = {
  strong: ['dist_config.name', 'train_dataset', 'sample_backend', 'model_class'],
  medium: [
    'kernel_config',
    'peft_config.name',
    'quant_config.name',
    'dist_config.dcp_path',
    'batching_strategy',
    'optim_config',
  ],
  weak: ['micro_batch_size', 'cutoff_len', 'model', 'cp_size', 'max_new_tokens'],
  against: ['stage', 'finetuning_type', 'template', 'base_model'],
  // Other trainers have a train_dataset, too.
  needs: [
    'model_class',
    'micro_batch_size',
    'cutoff_len',
    'sample_backend',
    'dist_config.name',
    'peft_config.name',
  ],
  least: 5,
};

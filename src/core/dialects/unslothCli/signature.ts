import type { Signature } from '../engine/signature';

export const unslothCliSignature: Signature = {
  strong: ['training.training_type', 'lora.lora_r', 'training.gradient_checkpointing'],
  medium: [
    'training.max_seq_length',
    'training.load_in_4bit',
    'lora.lora_alpha',
    'training.batch_size',
    'training.num_epochs',
  ],
  weak: ['data', 'logging', 'model', 'training.packing'],
  against: ['train', 'policy'],
  needs: [
    'training.training_type',
    'lora.lora_r',
    'training.load_in_4bit',
    'training.gradient_checkpointing',
    'training.max_seq_length',
  ],
  least: 4,
};

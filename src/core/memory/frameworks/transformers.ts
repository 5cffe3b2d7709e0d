import { usual } from './profile';
import type { FrameworkProfile } from './profile';

/** Scripts on transformers' Trainer, whose accelerate copies a model's 16-bit outputs to fp32 (convert_outputs_to_fp32). */
export const transformers: FrameworkProfile<'transformers'> = {
  ...usual,
  id: 'transformers',
  behavior: () => ({ copiesOutputs: true }),
};

/** Trainers on transformers' Trainer; disable_dropout_in_model; ppo_trainer.py of 0.12: `logits /= temperature`. */
export const trl: FrameworkProfile<'trl'> = {
  ...usual,
  id: 'trl',
  silencesDropout: true,
  distills: true,
  ppoLogits: 'in place',
  behavior: () => ({ copiesOutputs: true }),
};

/** TRL's trainers on transformers' Trainer. */
export const axolotl: FrameworkProfile<'axolotl'> = {
  ...usual,
  id: 'axolotl',
  silencesDropout: true,
  // axolotl 0.19 requires trl 1.9.
  pairTrl: '1.9',
  behavior: ({ expandableSegments }) => ({
    copiesOutputs: true,
    // loaders/adapter.py, find_all_linear_names.
    namesLinearLayers: true,
    // utils/__init__.py, set_pytorch_cuda_alloc_conf.
    expandableSegments: expandableSegments ?? true,
  }),
};

export const llamafactory: FrameworkProfile<'llamafactory'> = {
  ...usual,
  id: 'llamafactory',
  silencesDropout: true,
  /*
   * 0.9, train/dpo/trainer.py and train/kto/trainer.py, concatenated_forward: `.logits.to(torch.float32)`, from
   * which get_batch_logps computes the log-softmax, and which are returned.
   */
  pairLoss: { kind: 'log-probabilities', selective: false, keepsLogits: true },
  // model/model_utils/checkpointing.py, get_custom_gradient_checkpointing_func.
  checkpointsTrainedLayers: true,
};

/**
 * Example scripts keep frozen weights in the compute dtype and trained ones in fp32 (`weight_dtype`,
 * cast_training_params).
 */
export const diffusers: FrameworkProfile<'diffusers'> = {
  ...usual,
  id: 'diffusers',
  weights: 'fp32 where trained',
};

import type { FrameworkProfile } from './profile';
import { usual } from './usual';

export const llamafactory: FrameworkProfile<'llamafactory'> = {
  ...usual,
  id: 'llamafactory',
  silencesDropout: true,
  /*
   * 0.9, train/dpo/trainer.py and train/kto/trainer.py, concatenated_forward: `.logits.to(torch.float32)`, which
   * get_batch_logps takes the log-softmax of, and which are handed on.
   */
  pairLoss: { kind: 'log-probabilities', selective: false, keepsLogits: true },
  // model/model_utils/checkpointing.py, get_custom_gradient_checkpointing_func.
  checkpointsTrainedLayers: true,
};

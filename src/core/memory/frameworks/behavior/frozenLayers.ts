import type { Framework } from '../../../spec/runSpec';

/**
 * LLaMA-Factory checkpoints layers of which something is trained, and no others (model/model_utils/checkpointing.py,
 * get_custom_gradient_checkpointing_func).
 */
export const checkpointsTrainedLayers = ({ name }: Framework): boolean => name === 'llamafactory';

import { usual } from './profile';
import type { FrameworkProfile } from './profile';

/** NeMo Automodel trains models of transformers, and its own with the same layers (NVIDIA-NeMo/Automodel 36044ad). */
export const nemoAutomodel: FrameworkProfile<'nemo-automodel'> = {
  ...usual,
  id: 'nemo-automodel',
  makers: ['NVIDIA', 'AMD'],
  // components/quantization/fp8.py: torchao's convert_to_float8_training, whose layers keep their inputs in 16 bits.
  fp8: 'keeps 16 bits',
  // recipes/llm/train_ft.py: pp_batch_size is the rank's batch; torch.distributed.pipelining runs its parts.
  pipelineDividesBatch: true,
  // What its own layers keep was not read one by one: its intervals stay those of unknown frameworks.
  behavior: () => ({ frameworkKnown: false }),
};

import type { Facts } from '../fact';

const DETECTRON =
  'MODEL:\n  META_ARCHITECTURE: GeneralizedRCNN\n  RESNETS:\n    DEPTH: 50\nSOLVER:\n  IMS_PER_BATCH: 16\n';

/** Sources are lines of facebookresearch/detectron2 02b5c4e. */
export const detectron2Facts: Facts = {
  dialects: ['detectron2'],
  facts: [
    {
      id: 'detectron2-rescaled-batch',
      severity: 'information',
      summary: 'The batch size is rescaled to the number of GPUs of the run.',
      when: { above: { 'SOLVER.REFERENCE_WORLD_SIZE': 0 } },
      at: ['SOLVER.REFERENCE_WORLD_SIZE'],
      message:
        '{SOLVER.REFERENCE_WORLD_SIZE} sets the number of GPUs that the batch size is for. With another number, batch size, learning rate and iterations are rescaled, and the batch size per GPU stays the same.',
      meaning: 'Taking more GPUs then spreads nothing: each has the same share as before.',
      advice: 'Set it to 0 where the batch should stay what it is.',
      source: 'detectron2/engine/defaults.py: auto_scale_workers',
      example: `${DETECTRON}  REFERENCE_WORLD_SIZE: 8\n`,
      counterexample: `${DETECTRON}  REFERENCE_WORLD_SIZE: 0\n`,
    },
  ],
};
